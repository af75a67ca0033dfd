/**
 * Reads the data that the page got when it opened. Import this module first: other modules create texts as they load,
 * and those need the bundle.
 */
import * as l10n from '@vscode/l10n';
import { bootElementId } from '../../base/core/webPage.ts';
import type { ViewerBoot } from '../core/viewerPage.ts';

export const boot = bootOf(document);

if (boot.texts) l10n.config({ contents: { ...boot.texts.bundle } });

function bootOf(page: Document): ViewerBoot {
  // The server that made the page wrote this JSON.
  return JSON.parse(page.getElementById(bootElementId)?.textContent ?? '') as ViewerBoot;
}
