import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import type { CompareView } from '../../core/protocol/tokenRpc.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { compareRoute, ownEpisode, type CompareRoute } from '../state/route.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { Empty, Failure, Loading, Note, Pending } from '../../../base/webview/ui/Notices.tsx';
import { CompareHeader } from './CompareHeader.tsx';
import { CompareList } from './CompareList.tsx';
import { OtherRun, OwnRun } from './OtherRun.tsx';

export function CompareScreen({ run, route }: { readonly run: RunView; readonly route: CompareRoute }) {
  const { trace } = useViewer();
  const own = ownEpisode(route);
  const group = Math.floor(own / Math.max(1, run.repeat));
  const { value, error, retry } = useAnswer('group', { trace, group });
  const siblings = value?.episodes;
  const otherTrace = route.trace ?? route.otherTrace;
  return (
    <main class="screen compare-screen">
      {error && <Failure report={error} retry={retry} />}
      {otherTrace === null ? (
        <WithinRun route={route} siblings={siblings} isLoading={!error} />
      ) : (
        <AcrossRuns route={route} siblings={siblings ?? []} own={own} otherTrace={otherTrace} />
      )}
    </main>
  );
}

interface WithinProps {
  readonly route: CompareRoute;
  /** Undefined: not loaded yet. */
  readonly siblings: readonly EpisodeRow[] | undefined;
  readonly isLoading: boolean;
}

function WithinRun({ route, siblings, isLoading }: WithinProps) {
  const other = route.other ?? otherOf(siblings ?? [], route.episode);
  if (other !== undefined) {
    const sides = { left: siblings ?? [], right: siblings ?? [] };
    return <Comparison route={{ ...route, other }} siblings={sides} />;
  }
  if (siblings === undefined) {
    return isLoading ? <Loading>{l10n.t('Loading the other episodes of the task…')}</Loading> : null;
  }
  return (
    <Empty title={l10n.t('There is no episode to compare with.')}>
      <p>{l10n.t('The task has no other episode yet.')}</p>
      <OtherRun episode={route.episode} />
    </Empty>
  );
}

interface AcrossProps {
  readonly route: CompareRoute;
  readonly siblings: readonly EpisodeRow[];
  /** The episode in the viewer's own trace. */
  readonly own: number;
  readonly otherTrace: string;
}

function AcrossRuns({ route, siblings, own, otherTrace }: AcrossProps) {
  const { trace } = useViewer();
  const { value, error, retry } = useAnswer('counterparts', { trace, episode: own, other: otherTrace });
  if (value === undefined) {
    return error ? (
      <>
        <h1>{l10n.t('Compared with another run')}</h1>
        <Failure report={error} retry={retry} />
        <span class="buttons">
          <OtherRun episode={own} />
          <OwnRun episode={own} />
        </span>
      </>
    ) : (
      <Loading>{l10n.t('Looking for the task in the other run…')}</Loading>
    );
  }
  const { episodes, sameQuery } = value;
  const repeat = siblings.find(({ episode }) => episode === own)?.repeat;
  const counterpart = episodes.find((row) => row.repeat === repeat) ?? episodes[0];
  const other = route.trace === null ? (route.other ?? counterpart?.episode ?? null) : route.other;
  if (other === null) return null;
  const sides =
    route.trace === null ? { left: siblings, right: episodes } : { left: episodes, right: siblings };
  return (
    <>
      {!sameQuery && (
        <Note kind="warning">
          {l10n.t(
            'The tasks have the same id and different queries, so the runs may have used different data.',
          )}
        </Note>
      )}
      <Comparison route={{ ...route, other }} siblings={sides} />
    </>
  );
}

/** Returns the episode with the largest difference in reward. */
export function otherOf(siblings: readonly EpisodeRow[], episode: number): number | undefined {
  const own = siblings.find((row) => row.episode === episode)?.reward ?? 0;
  const distance = ({ reward }: EpisodeRow): number => (reward === null ? -1 : Math.abs(reward - own));
  const [first] = siblings
    .filter((row) => row.episode !== episode)
    .toSorted((one, other) => distance(other) - distance(one));
  return first?.episode;
}

/** Returns true if both episodes have ended. Then the comparison is loaded only once. */
function hasEnded({ left, right }: CompareView): boolean {
  return left.row.state === 'ended' && right.row.state === 'ended';
}

export interface Compared extends CompareRoute {
  readonly other: number;
}

interface ComparisonProps {
  readonly route: Compared;
  readonly siblings: Readonly<Record<'left' | 'right', readonly EpisodeRow[]>>;
}

function Comparison({ route, siblings }: ComparisonProps) {
  const { trace: own, navigate } = useViewer();
  const { episode, other, timeline, otherTimeline, trace, otherTrace } = route;
  const left = { trace: trace ?? own, episode, timeline };
  const right = { trace: otherTrace ?? own, episode: other, timeline: otherTimeline };
  const { value: view, error, retry } = useAnswer('compare', { trace: own, left, right }, hasEnded);
  if (view === undefined) {
    return (
      <Pending error={error} retry={retry}>
        {l10n.t('Comparing episodes {0} and {1}…', episode, other)}
      </Pending>
    );
  }
  const swapped = { timeline: view.right.timeline, otherTimeline: view.left.timeline };
  const swap = () =>
    navigate(compareRoute(other, episode, { ...swapped, trace: otherTrace, otherTrace: trace }));
  return (
    <>
      {error && <Failure report={error} retry={retry} />}
      <CompareHeader route={route} view={view} siblings={siblings} onSwap={swap} />
      <CompareList
        // A new comparison starts with new state.
        key={JSON.stringify([left, right, view.left.timeline, view.right.timeline])}
        route={route}
        view={view}
        onSwap={swap}
      />
    </>
  );
}
