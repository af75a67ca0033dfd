import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import type { Filter } from '../../core/protocol/traceFilter.ts';
import {
  episodeSorts,
  groupSorts,
  type EpisodeRow,
  type GroupRow,
  type ListSort,
} from '../../core/protocol/traceLists.ts';
import { episodeRoute, groupRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import { count, countedEpisodes, percent, reward } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Empty, Failure, Pending } from '../../../base/webview/ui/Notices.tsx';
import type { GridActions } from '../../../base/webview/ui/RowMenu.tsx';
import { OtherRun } from '../compare/OtherRun.tsx';
import {
  callsCell,
  lengthColumns,
  numberColumn,
  outcomeColumns,
  taskColumn,
  type RewardRange,
} from './cells.tsx';
import { metadataColumn, useMetadataColumns } from './MetadataColumns.tsx';
import { DataGrid, type Column } from '../ui/DataGrid.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { useEpisodeActions } from '../ui/DebugEpisode.tsx';
import { useList, type ListAnswer } from './useList.ts';

interface TableProps {
  /** Null: everything. */
  readonly filter: Filter | null;
  readonly sort: ListSort | null;
  /** True to keep the newest row in view. */
  readonly follows: boolean;
  readonly onSort: (sort: ListSort | null) => void;
  readonly onClear: () => void;
  readonly onLeave: () => void;
}

interface ListRequest<By> {
  readonly from: number;
  readonly limit: number;
  readonly filter?: Filter;
  readonly sort?: { readonly by: By; readonly descending: boolean };
  readonly anchor?: number | 'newest';
}

interface RunListProps<Row, By> extends TableProps {
  /** Part of each row's id, and the name under which the current row is saved. */
  readonly name: string;
  readonly sorts: readonly By[];
  readonly ask: (request: ListRequest<By>) => Promise<ListAnswer<Row>>;
  readonly numberOf: (row: Row) => number;
  readonly label: (total: number) => string;
  readonly loading: string;
  readonly columns: readonly Column<Row>[];
  readonly onOpen: (row: Row) => void;
  /** Returns the episode of a row to compare with other runs; undefined: there is none. */
  readonly comparedOf: (row: Row) => number | undefined;
  readonly actions?: GridActions<Row>;
  readonly note?: ComponentChildren;
  /** The part of the request that is not in the filter and the order. */
  readonly variant?: string;
  readonly tools?: ComponentChildren;
}

function RunList<Row, By extends string>(props: RunListProps<Row, By>) {
  const { name, filter, sorts, ask, onOpen, onLeave } = props;
  const by = sorts.find((one) => one === props.sort?.by); // a link may contain any
  const sort = by === undefined || props.sort === null ? null : { by, descending: props.sort.descending };
  const list = useList<Row>({
    name,
    key: JSON.stringify([filter, sort ?? undefined, props.variant]),
    ask: (from, limit, anchor) =>
      ask({
        ...{ from, limit },
        ...(filter !== null && { filter }),
        ...(sort !== null && { sort }),
        ...(anchor !== undefined && { anchor }),
      }),
    numberOf: props.numberOf,
    follows: props.follows,
    onChosen: onLeave,
  });
  const { slice, error, retry, want } = list.window;
  if (slice === undefined) return <Pending {...list.window}>{props.loading}</Pending>;
  if (slice.total === 0 && !list.stale) return <Nothing filtered={filter !== null} onClear={props.onClear} />;
  const current = Math.min(list.current.position, Math.max(slice.total - 1, 0));
  const row = list.rowAt(current);
  const open = (position: number) => {
    list.onCurrent(position);
    const row = list.rowAt(position);
    if (row !== undefined) onOpen(row);
  };
  return (
    <>
      {error && <Failure report={error} retry={retry} />}
      <div class="list-actions foldable">
        <OtherRun episode={row && props.comparedOf(row)} quiet />
        {props.tools}
      </div>
      {props.note}
      <DataGrid
        label={props.label(list.total)}
        columns={props.columns}
        total={slice.total}
        rowAt={list.rowAt}
        name={name}
        current={current}
        shifted={list.current.shifted}
        onCurrent={list.onCurrent}
        onOpen={open}
        onRange={want}
        sort={sort}
        onSort={props.onSort}
        busy={list.stale}
        onScrolled={onLeave}
        {...(props.actions && { actions: props.actions })}
      />
    </>
  );
}

function Nothing({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <Empty title={l10n.t('Nothing matches the filter.')}>
      <button type="button" onClick={onClear}>
        {l10n.t('Clear the filter')}
      </button>
    </Empty>
  ) : (
    <Empty title={l10n.t('No episode has started yet.')}>
      {l10n.t('Episodes appear here when they start.')}
    </Empty>
  );
}

interface EpisodeTableProps extends TableProps {
  readonly canRun: boolean;
  readonly rewards: RewardRange;
}

export function EpisodeTable({ canRun, rewards, ...table }: EpisodeTableProps) {
  const { client, trace, navigate } = useViewer();
  const { actions, note } = useEpisodeActions(canRun);
  const { shown, choice } = useMetadataColumns();
  return (
    <RunList
      {...table}
      name="episode"
      sorts={episodeSorts}
      ask={(request) =>
        client.ask('episodes', { trace, ...request, ...(shown.length > 0 && { metadata: [...shown] }) })
      }
      variant={shown.join()}
      tools={choice}
      numberOf={({ episode }) => episode}
      label={countedEpisodes}
      loading={l10n.t('Loading episodes…')}
      columns={[taskColumn<EpisodeRow>(), ...outcomeColumns(rewards, shown.map(metadataColumn))]}
      comparedOf={({ episode }) => episode}
      onOpen={({ episode }) => navigate(episodeRoute(episode))}
      actions={actions}
      note={note}
    />
  );
}

export function GroupTable(table: TableProps) {
  const { client, trace, navigate } = useViewer();
  return (
    <RunList
      {...table}
      name="group"
      sorts={groupSorts}
      ask={(request) => client.ask('groups', { trace, ...request })}
      numberOf={({ group }) => group}
      label={(total) => (total === 1 ? l10n.t('1 group') : l10n.t('{0} groups', count(total)))}
      loading={l10n.t('Loading groups…')}
      columns={columns(table.filter !== null)}
      comparedOf={({ best }) => best?.episode}
      onOpen={({ group }) => navigate(groupRoute(group))}
    />
  );
}

function columns(filtered: boolean): readonly Column<GroupRow>[] {
  const numeric = true;
  const matching = {
    name: l10n.t('Matching'),
    width: 84,
    numeric,
    cell: (row: GroupRow) => count(row.matching),
  };
  return [
    taskColumn<GroupRow>(),
    numberColumn(l10n.t('Mean reward'), 112, 'mean', (row) => reward(row.meanReward)),
    numberColumn(l10n.t('Success'), 88, 'solved', (row) => (
      <Recorded of={['successes']}>{percent(row.successRate)}</Recorded>
    )),
    numberColumn(l10n.t('Would train'), 112, 'trains', (row) => (
      <Recorded of={recordsOfTraining}>
        <Trains row={row} />
      </Recorded>
    )),
    { name: l10n.t('Repeats'), width: 84, numeric, cell: (row) => <Repeats row={row} /> },
    ...(filtered ? [matching] : []),
    numberColumn(l10n.t('Spread'), 84, 'spread', (row) => reward(row.deviation)),
    numberColumn(l10n.t('Best'), 72, 'best', (row) => reward(row.best?.reward ?? null)),
    numberColumn(l10n.t('Worst'), 76, 'worst', (row) => reward(row.worst?.reward ?? null)),
    { name: l10n.t('Flags'), width: 150, grows: 2, cell: (row) => <Flags row={row} /> },
    numberColumn(l10n.t('Calls'), 72, 'calls', callsCell),
    ...lengthColumns<GroupRow>(),
  ];
}

function Repeats({ row: { started, ended } }: { readonly row: GroupRow }) {
  if (ended === started) return <>{count(started)}</>;
  return <span title={l10n.t('{0} of {1} have ended', ended, started)}>{`${ended}/${started}`}</span>;
}

function Trains({ row: { trains, started } }: { readonly row: GroupRow }) {
  if (trains === null) return <>{l10n.t('open')}</>;
  return (
    <>
      {trains === 0 && <Icon name="cross" />}
      {l10n.t('{0} of {1}', trains, started)}
    </>
  );
}

function Flags({ row: { findings } }: { readonly row: GroupRow }) {
  return (
    <span title={findings.map(({ code, episodes }) => `${code} (${episodes})`).join('\n')}>
      {findings.map(({ code, severity }) => (
        <span key={`${severity} ${code}`} class="flag">
          <Icon name={severity === 'error' ? 'cross' : 'warning'} />
          <span class="mono">{code}</span>
        </span>
      ))}
    </span>
  );
}
