import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Dialog } from '../../../base/webview/ui/Dialog.tsx';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { numberFields } from '../../core/protocol/traceFilter.ts';
import { fieldNames } from '../../core/filterText.ts';
import { fieldText } from './filterEdit.ts';

interface Props {
  readonly onTry: (filter: string) => void;
}

/** A button that explains the filter. */
export function FilterHelp({ onTry }: Props) {
  const [open, setOpen] = useState(false);
  const attempt = (filter: string) => {
    setOpen(false);
    onTry(filter);
  };
  return (
    <>
      <IconButton icon="question" name={l10n.t('Filter help')} onPress={() => setOpen(true)} />
      {open && <Explanation onTry={attempt} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Examples to try, and the fields. */
function Explanation({ onTry, onClose }: Props & { readonly onClose: () => void }) {
  const numbers: readonly string[] = numberFields;
  return (
    <Dialog class="shortcuts filter-help" title={l10n.t('Filter episodes')} onClose={onClose}>
      <p>
        {l10n.t(
          'All terms must match. Combine them with or, negate them with -, and group them with parentheses. A word alone is searched in the id and the query of the task.',
        )}
      </p>
      <h3>{l10n.t('Examples')}</h3>
      <dl>
        {examples().map(([filter, what]) => (
          <div key={filter}>
            <dt>
              <button type="button" class="link mono" onClick={() => onTry(filter)}>
                {filter}
              </button>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h3>{l10n.t('Fields')}</h3>
      <dl>
        {fieldNames.map((field) => (
          <div key={field}>
            <dt class="mono">{numbers.includes(field) ? field : `${field}:`}</dt>
            <dd>{fieldText(numbers.includes(field) ? field : `${field}:`)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function examples(): readonly (readonly [filter: string, what: string])[] {
  return [
    ['reward<0.5 -error', l10n.t('a low reward, but no error')],
    ['tokens>10k or time>30s', l10n.t('long episodes')],
    ['success:no best>=1', l10n.t('failed attempts at tasks that another repeat solved')],
    ['spread=0', l10n.t('tasks whose repeats all have the same reward')],
    ['tool:search* error:timeout', l10n.t('a tool whose name begins with search, and a timeout')],
    ['text:"two words"', l10n.t('these words in a message of the conversations')],
  ];
}
