import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import { count, moment, percent, reward } from '../../../base/core/format.ts';
import { Failure, Pending } from '../../../base/webview/ui/Notices.tsx';
import { Segment, Status } from '../../../base/webview/ui/Stat.tsx';
import type { RunView, TraceSummary } from '../../core/protocol/runRpc.ts';
import { runStatus } from '../../core/runStatus.ts';
import { usePersistentState, useAnswer, useViewer } from '../state/viewer.ts';
import { DataGrid, type Column } from '../ui/DataGrid.tsx';
import { inEditor } from '../ui/inEditor.ts';
import { Trend } from './Trend.tsx';

/** A table over runs with the trend of their rewards and successes. */
export function RunsScreen({ run }: { readonly run: RunView }) {
  const { client, trace } = useViewer();
  const { value, error, retry } = useAnswer('runs', { trace });
  const [all, showAll] = usePersistentState('runs.all', (saved) => saved === true);
  const [current, setCurrent] = useState(0);
  const [failure, setFailure] = useState<ErrorReport>();
  if (value === undefined) {
    return (
      <main class="screen">
        <Pending error={error} retry={retry}>
          {l10n.t('Loading runs…')}
        </Pending>
      </main>
    );
  }
  const runs = all ? value.runs : value.runs.filter(({ config }) => config === run.config);
  const open = (position: number) => {
    setCurrent(position);
    const other = runs[position]?.trace;
    if (other === undefined) return;
    client.ask('openRun', { trace, other }).then(
      () => setFailure(undefined),
      (reason: unknown) => setFailure(toReport(reason, 'viewer/open-run')),
    );
  };
  return (
    <main class="screen runs-screen">
      <div class="list-bar">
        <h1>{l10n.t('Runs')}</h1>
        <div class="segments" role="group" aria-label={l10n.t('Runs')}>
          <Segment name={l10n.t('Of this config')} on={!all} onPress={() => showAll(false)} />
          <Segment name={l10n.t('All runs')} on={all} onPress={() => showAll(true)} />
        </div>
        {!inEditor && value.runs.length === 1 && (
          <span class="muted">
            {l10n.t('This viewer was opened for one trace. Start it with several to compare them.')}
          </span>
        )}
      </div>
      {error && <Failure report={error} retry={retry} />}
      {failure && <Failure report={failure} />}
      <Trend runs={runs.toReversed()} />
      <DataGrid
        label={l10n.t('Runs')}
        columns={columns(trace)}
        total={runs.length}
        rowAt={(position) => runs[position]}
        name="run"
        current={Math.max(0, Math.min(current, runs.length - 1))}
        onCurrent={setCurrent}
        onOpen={inEditor ? open : setCurrent}
        isMarked={(row) => row.trace === trace}
        sort={null}
        onSort={() => undefined}
      />
    </main>
  );
}

type RunColumn = Column<TraceSummary>;

function numberColumn(name: string, width: number, cell: RunColumn['cell']): RunColumn {
  return { name, width, numeric: true, cell };
}

function columns(own: string): readonly RunColumn[] {
  const name = ({ trace, experiment }: TraceSummary) => (
    <span title={trace}>
      {experiment === '' ? trace : experiment}
      {trace === own && <span class="muted"> {l10n.t('(this run)')}</span>}
    </span>
  );
  return [
    { name: l10n.t('Run'), width: 150, grows: 2, cell: name },
    numberColumn(l10n.t('Mean reward'), 124, ({ totals }) => reward(totals.meanReward)),
    numberColumn(l10n.t('Success'), 84, ({ totals }) => percent(totals.successRate)),
    {
      name: l10n.t('Status'),
      width: 170,
      cell: ({ state, totals, error }) => (
        <span title={error?.message}>
          <Status {...runStatus(state, totals)} />
        </span>
      ),
    },
    numberColumn(l10n.t('Episodes'), 92, ({ totals }) => count(totals.ended)),
    { name: l10n.t('Model'), width: 130, grows: 1, cell: ({ model }) => <span title={model}>{model}</span> },
    {
      name: l10n.t('Started'),
      width: 176,
      cell: ({ startedAt }) => (startedAt === 0 ? '' : moment(startedAt)),
    },
    numberColumn(l10n.t('Calls'), 72, ({ totals }) => count(totals.calls)),
    numberColumn(l10n.t('Tokens'), 88, ({ totals }) => count(totals.tokens)),
  ];
}
