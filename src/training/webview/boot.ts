/** Applies the translations in the page's HTML. Import it first, because modules create texts when they load. */
import * as l10n from '@vscode/l10n';
import { bootElementId, type WebPageOptions } from '../../base/core/webPage.ts';

// Written by webPage.ts.
const { texts } = JSON.parse(
  document.getElementById(bootElementId)?.textContent ?? '',
) as WebPageOptions['boot'];

if (texts) l10n.config({ contents: { ...texts.bundle } });
