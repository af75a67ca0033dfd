import * as l10n from '@vscode/l10n';
import type { Filter } from '../../core/protocol/traceFilter.ts';
import { episodeSorts, type EpisodeRow, type ListSort } from '../../core/protocol/traceLists.ts';
import { episodeRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import { countedEpisodes } from '../../../base/core/format.ts';
import { outcomeColumns, taskColumn } from './cells.tsx';
import { useEpisodeActions } from '../ui/DebugEpisode.tsx';
import { ListView, type ListViewProps } from './ListView.tsx';
import { useList, type Anchor } from './useList.ts';

/** The filter and the order of a list of the run. */
export interface ListChoice {
  /** Null: everything. */
  readonly filter: Filter | null;
  readonly sort: ListSort | null;
}

export type TableProps = ListChoice &
  Pick<ListViewProps<unknown>, 'onSort' | 'onClear' | 'onLeave'> & {
    /** True to keep the newest row in view. */
    readonly follows: boolean;
  };

interface Props extends TableProps {
  /** True if episodes can be run here. */
  readonly canRun: boolean;
}

/** The run's episodes. Only rows near the visible ones are loaded. */
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
      columns={[taskColumn(), ...outcomeColumns()]}
      sort={order ?? null}
      filtered={filter !== null}
      comparedOf={({ episode }) => episode}
      onOpen={({ episode }) => navigate(episodeRoute(episode))}
      actions={actions}
      note={note}
    />
  );
}

/** Returns the order if the list supports it. A link may contain any. */
export function sortOf<By extends string>(
  sort: ListSort | null,
  known: readonly By[],
): ListSort<By> | undefined {
  const by = known.find((one) => one === sort?.by);
  return by === undefined || sort === null ? undefined : { by, descending: sort.descending };
}

/** Returns the parameters of a list request other than its window. */
export function listedBy<Order>(
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
