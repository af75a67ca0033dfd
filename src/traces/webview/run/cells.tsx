/** Cells that the tables of a run and of a group share. */
import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { count, duration, reward, share } from '../../../base/core/format.ts';
import type { Column } from '../ui/DataGrid.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { useViewer } from '../state/viewer.ts';
import { episodeStatus, episodeStatusWord, successWord, trainsWord } from './status.ts';

function SuccessCell({ row }: { readonly row: EpisodeRow }) {
  const { held } = useViewer();
  const status = episodeStatus(row, held);
  return (
    <span
      class={`success success-${status}`}
      title={row.error?.message ?? (status === 'held' ? episodeStatusWord(status) : undefined)}
    >
      {status === 'success' && <Icon name="check" />}
      {(status === 'failed' || status === 'lost') && <Icon name="cross" />}
      {status === 'ended' && (
        <Recorded of={['successes']} otherwise={null}>
          <Icon name="cross" />
        </Recorded>
      )}
      {(status === 'running' || status === 'held') && <span class="status-dot" aria-hidden="true" />}
      {status === 'ended' ? (
        <Recorded of={['successes']}>{successWord(status)}</Recorded>
      ) : (
        successWord(status)
      )}
    </span>
  );
}

/** In units of the drawing. */
const [barWidth, barHeight] = [40, 8];

export function Bar({ part }: { readonly part: number }) {
  return <BarFrom from={0} to={part} kind="part" />;
}

/** A bar from 0 to a reward, on an axis with all rewards and 0. */
function RewardBar({ value, range }: { readonly value: number | null; readonly range: RewardRange }) {
  if (value === null || range === undefined || !Number.isFinite(value)) return null;
  const [least, most] = [Math.min(0, range[0]), Math.max(0, range[1])];
  if (most === least) return null;
  const position = (one: number) => Math.min(1, Math.max(0, (one - least) / (most - least)));
  const [zero, end] = [position(0), position(value)];
  return value < 0 ? (
    <BarFrom from={end} to={zero} kind="negative" />
  ) : (
    <BarFrom from={zero} to={end} kind="part" />
  );
}

interface BarProps {
  readonly from: number;
  readonly to: number;
  readonly kind: 'part' | 'negative';
}

function BarFrom({ from, to, kind }: BarProps) {
  return (
    <svg class="cell-bar" viewBox={`0 0 ${barWidth} ${barHeight}`} aria-hidden="true">
      <rect class="cell-bar-all" width={barWidth} height={barHeight} />
      <rect
        class={`cell-bar-${kind}`}
        x={barWidth * from}
        width={barWidth * (to - from)}
        height={barHeight}
      />
    </svg>
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

function Noted({ noted }: { readonly noted: EpisodeRow['noted'] | undefined }) {
  if (noted === undefined) return null;
  return (
    <>
      {noted.tags.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
      {noted.note !== '' && (
        <span class="tag" title={noted.note}>
          {l10n.t('note')}
        </span>
      )}
    </>
  );
}

export function taskColumn<Row extends Pick<EpisodeRow, 'taskId' | 'query' | 'noted'>>(): Column<Row> {
  const cell = ({ taskId, query, noted }: Row) => (
    <span title={query}>
      <span class="task-id">{taskId}</span> <Noted noted={noted} /> <span class="task-query">{query}</span>
    </span>
  );
  return { name: l10n.t('Task'), width: 150, grows: 3, sort: 'task', cell };
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

/** The least and the greatest reward; undefined: there is none. */
export type RewardRange = readonly [least: number, most: number] | undefined;

/**
 * Returns the columns with an episode's results. A narrow table shows the first ones.
 *
 * @param chosen columns that the user has added
 */
export function outcomeColumns(
  range: RewardRange,
  chosen: readonly Column<EpisodeRow>[] = [],
): readonly Column<EpisodeRow>[] {
  return [
    numberColumn(l10n.t('Reward'), 116, 'reward', (row) => (
      <>
        <RewardBar value={row.reward} range={range} />
        <span class="cell-reward">{reward(row.reward)}</span>
      </>
    )),
    { name: l10n.t('Success'), width: 84, sort: 'success', cell: (row) => <SuccessCell row={row} /> },
    {
      name: l10n.t('Would train'),
      width: 116,
      grows: 2,
      sort: 'trains',
      cell: (row) => (
        <Recorded of={recordsOfTraining}>
          <TrainsCell row={row} />
        </Recorded>
      ),
    },
    ...chosen,
    numberColumn(l10n.t('Repeat'), 80, 'repeat', (row) => row.repeat),
    numberColumn(l10n.t('Advantage'), 104, 'advantage', (row) => reward(row.advantage)),
    numberColumn(l10n.t('Calls'), 68, 'calls', callsCell),
    numberColumn(l10n.t('Timelines'), 100, 'timelines', (row) => count(row.timelines)),
    ...lengthColumns<EpisodeRow>(),
  ];
}
