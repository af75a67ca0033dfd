import * as l10n from '@vscode/l10n';
import { missingNames } from '../../core/missingTexts.ts';
import type { ImportInfo } from '../../../tracking/core/records/tracedRun.ts';
import { fileName } from '../../../base/core/format.ts';
import { Note } from '../../../base/webview/ui/Notices.tsx';

/** The source of an imported trace, the data that its format does not have, and the parts that could not be read. */
export function ImportNotice({ imported }: { readonly imported: ImportInfo }) {
  const { format, source, lacks, skipped, skips } = imported;
  return (
    <Note kind={skipped > 0 ? 'warning' : 'info'}>
      <p title={source}>
        {l10n.t('Imported from {0} ({1}). That file is unchanged.', fileName(source), format)}
      </p>
      {lacks.length > 0 && (
        <p>
          {l10n.t(
            'The file does not have the following data, so their numbers here mean nothing: {0}.',
            missingNames(lacks),
          )}
        </p>
      )}
      {skipped > 0 && (
        <details class="import-skips">
          <summary>
            {skipped === 1
              ? l10n.t('1 part of it could not be read.')
              : l10n.t('{0} parts of it could not be read.', skipped)}
          </summary>
          <ul>
            {skips.map(({ where, why }, index) => (
              <li key={index}>
                <span class="mono">{where}</span>: {why}
              </li>
            ))}
          </ul>
          {skipped > skips.length && <p>{l10n.t('These are the first {0}.', skips.length)}</p>}
        </details>
      )}
    </Note>
  );
}
