import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { Dialog } from '../../../base/webview/ui/Dialog.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Empty, Failure, Loading } from '../../../base/webview/ui/Notices.tsx';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { mostMetadata } from '../../core/protocol/traceRpc.ts';
import { usePersistentState, useViewer } from '../state/viewer.ts';
import type { Column } from '../ui/DataGrid.tsx';

export function metadataColumn(name: string): Column<EpisodeRow> {
  const cell = ({ metadata }: EpisodeRow) => {
    const text = metadata?.[name] ?? '';
    return <span title={text}>{text}</span>;
  };
  return { name, width: 110, grows: 1, cell };
}

/** Returns the names of the metadata that the user has added as columns, and a button to choose them. */
export function useMetadataColumns(): {
  readonly shown: readonly string[];
  readonly choice: ComponentChildren;
} {
  const { client, trace } = useViewer();
  const [shown, show] = usePersistentState('columns', readNames);
  const [known, setKnown] = useState<'closed' | 'loading' | readonly string[] | ErrorReport>('closed');
  const open = () => {
    setKnown('loading');
    client.ask('names', { trace }).then(
      ({ metadata }) => setKnown(metadata),
      (error: unknown) => setKnown(toReport(error, 'viewer/names')),
    );
  };
  const choice = (
    <>
      <button type="button" class="link" onClick={open}>
        <Icon name="columns" /> {l10n.t('Columns…')}
      </button>
      {known !== 'closed' && (
        <Dialog
          class="shortcuts metadata-columns"
          title={l10n.t('Columns from metadata')}
          onClose={() => setKnown('closed')}
        >
          {known === 'loading' ? (
            <Loading>{l10n.t('Loading names…')}</Loading>
          ) : 'code' in known ? (
            <Failure report={known} retry={open} />
          ) : (
            <Choice known={known} shown={shown} onShow={show} />
          )}
        </Dialog>
      )}
    </>
  );
  return { shown, choice };
}

interface ChoiceProps {
  readonly known: readonly string[];
  readonly shown: readonly string[];
  readonly onShow: (shown: readonly string[]) => void;
}

function Choice({ known, shown, onShow }: ChoiceProps) {
  const names = [...new Set([...known, ...shown])];
  if (names.length === 0) {
    return (
      <Empty title={l10n.t('No metadata.')}>
        {l10n.t('No task and no output of the first episodes has metadata.')}
      </Empty>
    );
  }
  const toggle = (name: string) =>
    onShow(shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]);
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <label>
            <input
              type="checkbox"
              checked={shown.includes(name)}
              disabled={!shown.includes(name) && shown.length >= mostMetadata}
              onChange={() => toggle(name)}
            />{' '}
            <span class="mono">{name}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function readNames(saved: unknown): readonly string[] {
  return Array.isArray(saved) ? saved.filter((one) => typeof one === 'string').slice(0, mostMetadata) : [];
}
