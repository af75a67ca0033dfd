import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { ListSort, EpisodeRow } from '../../core/protocol/traceLists.ts';
import { Bar, outcomeColumns, type RewardRange } from '../run/cells.tsx';
import { episodeRoute, compareRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { usePersistentState, useViewer } from '../state/viewer.ts';
import { DataGrid, type Column } from '../ui/DataGrid.tsx';
import { useEpisodeActions } from '../ui/DebugEpisode.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { OtherRun } from '../compare/OtherRun.tsx';

const mostMarked = 2;

/** The marked episodes of a group, in the order in which they were marked. Another one replaces the oldest. */
function useMarkedEpisodes(group: number, episodes: readonly EpisodeRow[]) {
  const [marked, keep] = usePersistentState(`group.${group}.marked`, (saved): readonly number[] => {
    const numbers = Array.isArray(saved) ? saved.filter((one): one is number => typeof one === 'number') : [];
    return numbers.filter((one) => episodes.some(({ episode }) => episode === one)).slice(-mostMarked);
  });
  const toggle = (episode: number) => {
    const others = marked.filter((one) => one !== episode);
    keep(marked.includes(episode) ? others : [...others, episode].slice(-mostMarked));
  };
  return { marked, toggle };
}

interface Props {
  readonly group: number;
  readonly episodes: readonly EpisodeRow[];
  readonly canRun: boolean;
}

/** A group's episodes. The bars are relative to the longest. */
export function RepeatTable({ group, episodes, canRun }: Props) {
  const { navigate } = useViewer();
  const { marked, toggle } = useMarkedEpisodes(group, episodes);
  const { actions, note } = useEpisodeActions(canRun);
  const [episode, keep] = usePersistentState(`group.${group}.episode`, (saved) =>
    typeof saved === 'number' ? saved : episodes[0]?.episode,
  );
  const [sort, setSort] = useState<ListSort | null>(null);
  useShortcuts(l10n.t('Group'), [
    { keys: ['ArrowDown', 'ArrowUp'], what: l10n.t('Move to another row') },
    { keys: ['Enter'], what: l10n.t('Open the row') },
    { keys: ['Space'], what: l10n.t('Mark the row to compare it') },
  ]);
  const rows = sort === null ? episodes : sorted(episodes, sort);
  const current = Math.max(
    0,
    rows.findIndex((row) => row.episode === episode),
  );
  const choose = (position: number) => {
    const row = rows[position];
    if (row !== undefined) keep(row.episode);
    return row;
  };
  const mark = (position: number) => {
    const row = choose(position);
    if (row !== undefined) toggle(row.episode);
  };
  return (
    <>
      {note}
      <CompareBar episodes={episodes} marked={marked} current={rows[current]?.episode} />
      <DataGrid
        label={episodes.length === 1 ? l10n.t('1 repeat') : l10n.t('{0} repeats', episodes.length)}
        columns={[markColumn(marked, toggle), ...columnsOf(episodes)]}
        total={rows.length}
        rowAt={(position) => rows[position]}
        name="repeat"
        current={current}
        onCurrent={choose}
        onOpen={(position) => {
          const row = choose(position);
          if (row !== undefined) navigate(episodeRoute(row.episode));
        }}
        isMarked={(row) => marked.includes(row.episode)}
        onMark={mark}
        sort={sort}
        onSort={setSort}
        actions={actions}
      />
    </>
  );
}

function markColumn(marked: readonly number[], toggle: (episode: number) => void): Column<EpisodeRow> {
  return {
    name: l10n.t('Mark'),
    width: 68,
    cell: ({ episode, repeat }) => (
      <input
        type="checkbox"
        class="mark"
        aria-label={l10n.t('Mark repeat {0} to compare it', repeat)}
        tabIndex={-1}
        checked={marked.includes(episode)}
        // A click on the row opens it.
        onClick={(event) => event.stopPropagation()}
        onChange={() => toggle(episode)}
      />
    ),
  };
}

/** The sort keys of a repeat. Null is last. */
const sortValues: Readonly<Record<string, (row: EpisodeRow) => number | null>> = {
  repeat: (row) => row.repeat,
  reward: (row) => row.reward,
  advantage: (row) => row.advantage,
  success: (row) => (row.reward === null ? null : Number(row.isSuccess)),
  trains: (row) => (row.trains === null ? null : Number(row.trains)),
  calls: (row) => row.calls,
  timelines: (row) => row.timelines,
  tokens: (row) => row.tokens,
  trainable: (row) => row.trainableTokens,
  time: (row) => row.seconds,
};

function sorted(rows: readonly EpisodeRow[], { by, descending }: ListSort): readonly EpisodeRow[] {
  const valueOf = sortValues[by] ?? (() => null);
  return rows.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return descending ? other - one : one - other;
  });
}

const barred: Readonly<Record<string, (row: EpisodeRow) => number>> = {
  calls: (row) => row.calls,
  tokens: (row) => row.tokens,
  time: (row) => row.seconds ?? 0,
};

function rangeOf(episodes: readonly EpisodeRow[]): RewardRange {
  const rewards = episodes.flatMap(({ reward }) =>
    reward !== null && Number.isFinite(reward) ? [reward] : [],
  );
  return rewards.length === 0 ? undefined : [Math.min(...rewards), Math.max(...rewards)];
}

function columnsOf(episodes: readonly EpisodeRow[]): readonly Column<EpisodeRow>[] {
  const columns = outcomeColumns(rangeOf(episodes)).map((column): Column<EpisodeRow> => {
    const lengthOf = column.sort === undefined ? undefined : barred[column.sort];
    if (lengthOf === undefined) return column;
    const most = Math.max(...episodes.map(lengthOf));
    const cell = (row: EpisodeRow) => (
      <>
        <Bar part={most > 0 ? lengthOf(row) / most : 0} />
        {column.cell(row)}
      </>
    );
    return { ...column, width: column.width + 44, cell };
  });
  return [
    ...columns,
    { name: l10n.t('Error'), width: 160, grows: 2, cell: (row) => <ErrorCell row={row} /> },
  ];
}

function ErrorCell({ row: { error } }: { readonly row: EpisodeRow }) {
  if (error === null) return null;
  return (
    <span title={error.message}>
      <Icon name="cross" />
      {error.message}
    </span>
  );
}

interface CompareBarProps {
  readonly episodes: readonly EpisodeRow[];
  readonly marked: readonly number[];
  readonly current: number | undefined;
}

function CompareBar({ episodes, marked, current }: CompareBarProps) {
  const { navigate } = useViewer();
  const pair = pairOf(marked, current);
  const repeatOf = (episode: number) => episodes.find((row) => row.episode === episode)?.repeat ?? episode;
  const compare = () => pair && navigate(compareRoute(...pair));
  useShortcuts(l10n.t('Group'), [
    {
      keys: ['c'],
      what: l10n.t('Compare the marked rows, or the current one with the marked one'),
      run: compare,
    },
  ]);
  return (
    <div class="list-bar compare-bar">
      <button type="button" disabled={pair === undefined} onClick={compare}>
        <Icon name="compare" />{' '}
        {pair === undefined
          ? l10n.t('Compare')
          : l10n.t('Compare repeats {0} and {1}', repeatOf(pair[0]), repeatOf(pair[1]))}{' '}
        <kbd>c</kbd>
      </button>
      <OtherRun episode={marked[0] ?? current} quiet />
      <span class="muted foldable" role="status">
        {marked.length === 0 &&
          l10n.t('To compare two rows, mark them with the space bar or their checkboxes.')}
        {marked.length === 1 && l10n.t('1 row is marked.')}
        {marked.length === 2 && l10n.t('2 rows are marked.')}
      </span>
    </div>
  );
}

/** Returns the two episodes to compare; undefined: there are fewer than two. */
function pairOf(
  marked: readonly number[],
  current: number | undefined,
): readonly [left: number, right: number] | undefined {
  const [left, right = current] = marked;
  return left === undefined || right === undefined || left === right ? undefined : [left, right];
}
