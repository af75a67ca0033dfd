/**
 * What the page was told when it opened. To be imported before all else: modules have texts of theirs made as they
 * load, and those need the bundle.
 */
import * as l10n from '@vscode/l10n';
import { bootElementId } from '../../base/core/webPage.ts';
import type { ViewerBoot } from '../core/viewerPage.ts';

export const boot = bootOf(document);

if (boot.texts) l10n.config({ contents: { ...boot.texts.bundle } });

function bootOf(page: Document): ViewerBoot {
  // Written by the page's own maker.
  return JSON.parse(page.getElementById(bootElementId)?.textContent ?? '') as ViewerBoot;
}
