import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { ShowResult, SourceOf, SourceView } from '../../core/protocol/codeRpc.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { CopyButton } from '../../../base/webview/ui/CopyButton.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';

interface Props {
  readonly episode: number;
  readonly of: SourceOf;
  readonly label: string;
  /** The label for screen readers, with context. It begins with the visible label. */
  readonly what: string;
  /** A shortcut that works with any focus; absent: none. */
  readonly shortcut?: string;
}

type Outcome = { readonly shown: ShowResult } | { readonly error: ErrorReport };

/** A button that opens the user's code. A browser shows the location. */
export function GoToSource({ episode, of, label, what, shortcut }: Props) {
  const { client, trace } = useViewer();
  const [outcome, setOutcome] = useState<Outcome>();
  const show = () => {
    client.ask('show', { trace, episode, of }).then(
      (shown) => setOutcome({ shown }),
      (error: unknown) => setOutcome({ error: toReport(error, 'viewer/source') }),
    );
  };
  return (
    <span class="go-to-source">
      {shortcut !== undefined && <Key shortcut={shortcut} run={show} />}
      <button type="button" class="link" title={what} aria-label={what} onClick={show}>
        <Icon name="code" /> <span class="link-label">{label}</span>
      </button>
      <span role="status">{outcome && <OutcomeMessage outcome={outcome} />}</span>
    </span>
  );
}

function Key({ shortcut, run }: { readonly shortcut: string; readonly run: () => void }) {
  useShortcuts(l10n.t('Code'), [{ keys: [shortcut], what: l10n.t('Go to the source'), run }]);
  return null;
}

function OutcomeMessage({ outcome }: { readonly outcome: Outcome }) {
  if ('error' in outcome) {
    const { message, hint = '' } = outcome.error;
    return (
      <span class="source-note" title={hint}>
        {message}
      </span>
    );
  }
  const { source, shown } = outcome.shown;
  const note = noteOf(source);
  const place = `${source.file}:${source.line}`;
  return (
    <>
      {shown === 'page' && (
        <>
          <span class="mono source-place">{place}</span>
          <CopyButton text={place} what={l10n.t('Copy the path and the line')} />
        </>
      )}
      {note !== '' && <span class="source-note">{note}</span>}
    </>
  );
}

function noteOf({ state, found }: SourceView): string {
  if (state === 'gone') return l10n.t('The file does not exist any more.');
  if (state === 'changed') return l10n.t('The file has changed since the run: the line may have moved.');
  return found === 'scan' ? l10n.t("Found by the tool's name.") : '';
}
