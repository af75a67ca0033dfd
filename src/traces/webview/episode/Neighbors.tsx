import * as l10n from '@vscode/l10n';
import { count } from '../../../base/core/format.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { parseFilter } from '../../core/filterText.ts';
import { episodeSorts } from '../../core/protocol/traceLists.ts';
import type { ParamsOf } from '../../core/protocol/traceRpc.ts';
import { lastRunRoute } from '../state/navigator.ts';
import { episodeRoute, type RunRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';

/** Goes to the previous and the next episode, in the order and with the filter of the run's table. */
export function Neighbors({ episode }: { readonly episode: number }) {
  const { trace, memory, navigate } = useViewer();
  const list = listOf(lastRunRoute(memory));
  const { value } = useAnswer('neighbors', { trace, episode, ...list });
  const go = (to: number | null | undefined) => {
    if (to !== null && to !== undefined) navigate(episodeRoute(to));
  };
  const previous = () => go(value?.previous);
  const next = () => go(value?.next);
  useShortcuts(l10n.t('Episode'), [
    { keys: ['Alt+['], what: l10n.t('Previous episode'), run: previous },
    { keys: ['Alt+]'], what: l10n.t('Next episode'), run: next },
  ]);
  if (value === undefined) return null;
  return (
    <span class="neighbors">
      <IconButton
        icon="up"
        name={l10n.t('Previous episode')}
        title={l10n.t('Previous episode (Alt+[)')}
        disabled={value.previous === null}
        onPress={previous}
      />
      <span class="muted">{`${count(value.position + 1)}/${count(value.total)}`}</span>
      <IconButton
        icon="down"
        name={l10n.t('Next episode')}
        title={l10n.t('Next episode (Alt+])')}
        disabled={value.next === null}
        onPress={next}
      />
    </span>
  );
}

/** Returns the filter and the order of the table. A filter that cannot be parsed selects all episodes. */
function listOf({ filter, sort, list }: RunRoute): Pick<ParamsOf<'neighbors'>, 'filter' | 'sort'> {
  const parsed = parseFilter(filter);
  const by = list === 'groups' ? undefined : episodeSorts.find((one) => one === sort?.by);
  return {
    ...('filter' in parsed && parsed.filter !== null && { filter: parsed.filter }),
    ...(by !== undefined && sort !== null && { sort: { by, descending: sort.descending } }),
  };
}
