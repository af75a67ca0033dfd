import * as l10n from '@vscode/l10n';
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
import { callsCell, lengthColumns, numberColumn, outcomeColumns, taskColumn } from './cells.tsx';
import type { Column } from '../ui/DataGrid.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { useEpisodeActions } from '../ui/DebugEpisode.tsx';
import { ListView, type ListViewProps } from './ListView.tsx';
import { useList, type Anchor } from './useList.ts';

interface ListChoice {
  /** Null: everything. */
  readonly filter: Filter | null;
  readonly sort: ListSort | null;
}

type TableProps = ListChoice &
  Pick<ListViewProps<unknown>, 'onSort' | 'onClear' | 'onLeave'> & {
    /** True to keep the newest row in view. */
    readonly follows: boolean;
  };

interface Props extends TableProps {
  /** True if episodes can be run here. */
  readonly canRun: boolean;
}

export function EpisodeTable({ filter, sort, follows, canRun, ...rest }: Props) {
  const { onLeave } = rest;
  const { client, trace, navigate } = useViewer();
  const order = sortOf(sort, episodeSorts);
  const list = useList<EpisodeRow>({
    name: 'episode',
    key: JSON.stringify([filter, order]),
    ask: (from, limit, anchor) =>
      client.ask('episodes', { trace, from, limit, ...listedBy(filter, order, anchor) }),
    numberOf: ({ episode }) => episode,
    follows,
    onChosen: onLeave,
  });
  const { actions, note } = useEpisodeActions(canRun);
  return (
    <ListView
      {...rest}
      list={list}
      name="episode"
      label={countedEpisodes(list.total)}
      loading={l10n.t('Loading episodes…')}
      columns={[taskColumn<EpisodeRow>(), ...outcomeColumns()]}
      sort={order ?? null}
      filtered={filter !== null}
      comparedOf={({ episode }) => episode}
      onOpen={({ episode }) => navigate(episodeRoute(episode))}
      actions={actions}
      note={note}
    />
  );
}

export function GroupTable({ filter, sort, follows, ...rest }: TableProps) {
  const { onLeave } = rest;
  const { client, trace, navigate } = useViewer();
  const order = sortOf(sort, groupSorts);
  const list = useList<GroupRow>({
    name: 'group',
    key: JSON.stringify([filter, order]),
    ask: (from, limit, anchor) =>
      client.ask('groups', { trace, from, limit, ...listedBy(filter, order, anchor) }),
    numberOf: ({ group }) => group,
    follows,
    onChosen: onLeave,
  });
  return (
    <ListView
      {...rest}
      list={list}
      name="group"
      label={list.total === 1 ? l10n.t('1 group') : l10n.t('{0} groups', count(list.total))}
      loading={l10n.t('Loading groups…')}
      columns={columns(filter !== null)}
      sort={order ?? null}
      filtered={filter !== null}
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
    { name: l10n.t('Repeats'), width: 84, numeric, cell: (row) => <Repeats row={row} /> },
    ...(filtered ? [matching] : []),
    numberColumn(l10n.t('Mean reward'), 112, 'mean', (row) => reward(row.meanReward)),
    numberColumn(l10n.t('Spread'), 84, 'spread', (row) => reward(row.deviation)),
    numberColumn(l10n.t('Best'), 72, 'best', (row) => reward(row.best?.reward ?? null)),
    numberColumn(l10n.t('Worst'), 76, 'worst', (row) => reward(row.worst?.reward ?? null)),
    numberColumn(l10n.t('Success'), 88, 'solved', (row) => (
      <Recorded of={['successes']}>{percent(row.successRate)}</Recorded>
    )),
    numberColumn(l10n.t('Would train'), 112, 'trains', (row) => (
      <Recorded of={recordsOfTraining}>
        <Trains row={row} />
      </Recorded>
    )),
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

/** Returns the order if the list supports it. A link may contain any. */
function sortOf<By extends string>(sort: ListSort | null, known: readonly By[]): ListSort<By> | undefined {
  const by = known.find((one) => one === sort?.by);
  return by === undefined || sort === null ? undefined : { by, descending: sort.descending };
}

/** Returns the parameters of a list request other than its window. */
function listedBy<Order>(
  filter: Filter | null,
  sort: Order | undefined,
  anchor: Anchor,
): { readonly filter?: Filter; readonly sort?: Order; readonly anchor?: number | 'newest' } {
  return {
    ...(filter !== null && { filter }),
    ...(sort !== undefined && { sort }),
    ...(anchor !== undefined && { anchor }),
  };
}
