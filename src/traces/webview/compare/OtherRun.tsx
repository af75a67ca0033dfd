import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { TraceSummary } from '../../core/protocol/runRpc.ts';
import { compareRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { count, moment, reward } from '../../../base/core/format.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { Dialog } from '../../../base/webview/ui/Dialog.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Failure } from '../../../base/webview/ui/Notices.tsx';

interface Props {
  /** The episode to compare, in the viewer's own trace; undefined: there is none. */
  readonly episode: number | undefined;
  /** True to show it less prominently. */
  readonly quiet?: boolean;
}

type TraceListResult = { readonly traces: readonly TraceSummary[] } | { readonly error: ErrorReport };

/** In an editor, the user chooses the other run in a dialog. A browser lists the runs. */
export function OtherRun({ episode, quiet = false }: Props) {
  const { client, trace, navigate } = useViewer();
  const [asked, setAsked] = useState<TraceListResult>();
  const choose = (otherTrace: string) => {
    setAsked(undefined);
    if (episode !== undefined) navigate(compareRoute(episode, null, { otherTrace }));
  };
  const ask = () => {
    if (episode === undefined) return;
    client.ask('otherRuns', { trace }).then(
      (answer) => {
        if ('traces' in answer) setAsked(answer);
        else if (answer.chosen !== null) choose(answer.chosen);
      },
      (error: unknown) => setAsked({ error: toReport(error, 'viewer/other-run') }),
    );
  };
  useShortcuts(l10n.t('Comparison'), [
    { keys: ['o'], what: l10n.t('Compare with the same task of another run'), run: ask },
  ]);
  return (
    <>
      <button type="button" class={quiet ? 'link' : ''} disabled={episode === undefined} onClick={ask}>
        <Icon name="compare" /> {l10n.t('Compare with another run…')} <kbd>o</kbd>
      </button>
      {asked && (
        <Dialog
          class="shortcuts other-runs"
          title={l10n.t('Compare with another run')}
          onClose={() => setAsked(undefined)}
        >
          {'error' in asked ? (
            <Failure report={asked.error} />
          ) : (
            <Runs traces={asked.traces} onChoose={choose} />
          )}
        </Dialog>
      )}
    </>
  );
}

interface RunsProps {
  readonly traces: readonly TraceSummary[];
  readonly onChoose: (trace: string) => void;
}

const command = 'agentjet trace FILE.ajtrace OTHER.ajtrace';

function Runs({ traces, onChoose }: RunsProps) {
  if (traces.length === 0) {
    return (
      <p>
        {l10n.t('This viewer was opened for one trace. Start it with both traces:')} <code>{command}</code>
      </p>
    );
  }
  return (
    <ul>
      {traces.map(({ trace, experiment, state, startedAt, totals }) => (
        <li key={trace}>
          <button
            type="button"
            class="link"
            disabled={state === 'unreadable'}
            onClick={() => onChoose(trace)}
          >
            {trace}
          </button>{' '}
          <span class="muted">
            {state === 'unreadable'
              ? l10n.t('It cannot be read.')
              : l10n.t(
                  '{0}, started {1}, {2} episodes, mean reward {3}',
                  experiment,
                  moment(startedAt),
                  count(totals.ended),
                  reward(totals.meanReward),
                )}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function OwnRun({ episode }: { readonly episode: number }) {
  return <RouteLink to={compareRoute(episode, null)}>{l10n.t('Compare with another repeat')}</RouteLink>;
}
