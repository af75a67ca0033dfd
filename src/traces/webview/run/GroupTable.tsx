import * as l10n from '@vscode/l10n';
import { groupSorts, type GroupRow } from '../../core/protocol/traceLists.ts';
import { groupRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import type { Column } from '../ui/DataGrid.tsx';
import { count, percent, reward } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Recorded, recordsOfTraining } from '../ui/Recorded.tsx';
import { callsCell, lengthColumns, numberColumn, TaskCell } from './cells.tsx';
import { listedBy, sortOf, type TableProps } from './EpisodeTable.tsx';
import { ListView } from './ListView.tsx';
import { useList } from './useList.ts';

/** The run's groups, each the repeats of one task. */
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
    { name: l10n.t('Task'), width: 180, grows: 3, sort: 'task', cell: (row) => <TaskCell {...row} /> },
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

/** Shows the number of repeats, and marks those that have not ended. */
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
