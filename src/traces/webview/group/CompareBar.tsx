import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { OtherRun } from '../compare/OtherRun.tsx';
import { compareRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';

interface Props {
  readonly episodes: readonly EpisodeRow[];
  readonly marked: readonly number[];
  /** Of the current row. */
  readonly current: number | undefined;
}

/** Leads to the comparison of two episodes: those that are marked, and the current row where that are too few. */
export function CompareBar({ episodes, marked, current }: Props) {
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
          l10n.t('Mark two rows to compare them: with the space bar, or by their boxes.')}
        {marked.length === 1 && l10n.t('1 row is marked.')}
        {marked.length === 2 && l10n.t('2 rows are marked.')}
      </span>
    </div>
  );
}

/** Undefined: there are no two. */
export function pairOf(
  marked: readonly number[],
  current: number | undefined,
): readonly [left: number, right: number] | undefined {
  const [left, right = current] = marked;
  return left === undefined || right === undefined || left === right ? undefined : [left, right];
}
