/** Cells that the tables of a run and of a group share. */
import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { count, duration, reward, share } from '../../../base/core/format.ts';
import type { Column } from '../ui/DataGrid.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { episodeStatus, successWord, trainsWord } from './status.ts';

function SuccessCell({ row }: { readonly row: EpisodeRow }) {
  const status = episodeStatus(row);
  return (
    <span class={`success success-${status}`} title={row.error?.message}>
      {status === 'success' && <Icon name="check" />}
      {(status === 'failed' || status === 'lost') && <Icon name="cross" />}
      {status === 'running' && <span class="status-dot" aria-hidden="true" />}
      {status === 'ended' ? (
        <Recorded of={['successes']}>{successWord(status)}</Recorded>
      ) : (
        successWord(status)
      )}
    </span>
  );
}

export function TrainableCell({
  trainableTokens,
  tokens,
}: {
  readonly trainableTokens: number;
  readonly tokens: number;
}) {
  return (
    <Recorded of={['tokens', 'lossMask']}>
      {count(trainableTokens)} <span class="muted share">{share(trainableTokens, tokens)}</span>
    </Recorded>
  );
}

export function numberColumn<Row>(
  name: string,
  width: number,
  sort: string,
  cell: Column<Row>['cell'],
): Column<Row> {
  return { name, width, numeric: true, sort, cell };
}

type Counted = Pick<EpisodeRow, 'calls' | 'tokens' | 'seconds'>;

export const callsCell = ({ calls }: Counted) => <Recorded of={['calls']}>{count(calls)}</Recorded>;
export const tokensCell = ({ tokens }: Counted) => <Recorded of={['tokens']}>{count(tokens)}</Recorded>;
export const timeCell = ({ seconds }: Counted) => <Recorded of={['times']}>{duration(seconds)}</Recorded>;

function TrainsCell({ row }: { readonly row: EpisodeRow }) {
  const [first] = row.findings;
  return (
    <span title={row.findings.map(({ message }) => message).join('\n')}>
      {row.trains === false && <Icon name="cross" />}
      {row.trains === true && first && <Icon name="warning" />}
      {trainsWord(row.trains)}
      {first && <span class="muted reason">: {first.message}</span>}
    </span>
  );
}

export function taskColumn<Row extends Pick<EpisodeRow, 'taskId' | 'query'>>(): Column<Row> {
  const cell = ({ taskId, query }: Row) => (
    <span title={query}>
      <span class="task-id">{taskId}</span> <span class="task-query">{query}</span>
    </span>
  );
  return { name: l10n.t('Task'), width: 180, grows: 3, sort: 'task', cell };
}

export function lengthColumns<
  Row extends Counted & Pick<EpisodeRow, 'trainableTokens'>,
>(): readonly Column<Row>[] {
  return [
    numberColumn(l10n.t('Tokens'), 88, 'tokens', tokensCell),
    numberColumn(l10n.t('Trainable'), 124, 'trainable', (row) => <TrainableCell {...row} />),
    numberColumn(l10n.t('Time'), 96, 'time', timeCell),
  ];
}

/** Returns the columns with an episode's results, in the order of the run's table. */
export function outcomeColumns(): readonly Column<EpisodeRow>[] {
  return [
    numberColumn(l10n.t('Repeat'), 80, 'repeat', (row) => row.repeat),
    numberColumn(l10n.t('Reward'), 84, 'reward', (row) => reward(row.reward)),
    numberColumn(l10n.t('Advantage'), 104, 'advantage', (row) => reward(row.advantage)),
    { name: l10n.t('Success'), width: 96, sort: 'success', cell: (row) => <SuccessCell row={row} /> },
    {
      name: l10n.t('Would train'),
      width: 150,
      grows: 2,
      sort: 'trains',
      cell: (row) => (
        <Recorded of={recordsOfTraining}>
          <TrainsCell row={row} />
        </Recorded>
      ),
    },
    numberColumn(l10n.t('Calls'), 68, 'calls', callsCell),
    numberColumn(l10n.t('Timelines'), 100, 'timelines', (row) => count(row.timelines)),
    ...lengthColumns<EpisodeRow>(),
  ];
}
