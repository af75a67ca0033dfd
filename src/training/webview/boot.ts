/** What the page was told when it opened. To be imported before all else: modules have texts made as they load. */
import * as l10n from '@vscode/l10n';
import { bootElementId, type WebPageOptions } from '../../base/core/webPage.ts';

// Written by the page's own maker.
const { texts } = JSON.parse(
  document.getElementById(bootElementId)?.textContent ?? '',
) as WebPageOptions['boot'];

if (texts) l10n.config({ contents: { ...texts.bundle } });
