import * as l10n from '@vscode/l10n';
import type { CompareSide, CompareView, RewardPart } from '../../core/protocol/tokenRpc.ts';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { compareRoute, ownEpisode, timelineRoute, type CompareRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import { count, fileName, reward, unknown } from '../../../base/core/format.ts';
import { Note } from '../../../base/webview/ui/Notices.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { OtherRun, OwnRun } from './OtherRun.tsx';

interface Props {
  readonly route: CompareRoute;
  readonly view: CompareView;
  readonly siblings: Readonly<Record<'left' | 'right', readonly EpisodeRow[]>>;
  readonly onSwap: () => void;
}

export function CompareHeader({ route, view, siblings, onSwap }: Props) {
  const { navigate } = useViewer();
  const { left, right } = view;
  const [one, other] = [left.row.episode, right.row.episode];
  const { trace, otherTrace } = route;
  const isOneRun = trace === null && otherTrace === null;
  const sides = { timeline: left.timeline, otherTimeline: right.timeline, trace, otherTrace };
  const others = (rows: readonly EpisodeRow[], taken: number) =>
    isOneRun ? rows.filter(({ episode }) => episode !== taken) : rows;
  return (
    <header class="compare-header">
      <Title route={route} view={view} onSwap={onSwap} />
      {left.tokenizer !== right.tokenizer && (
        <Note kind="warning">
          {l10n.t(
            'The tokens come from different tokenizers ({0}, {1}), so their ids cannot be compared.',
            left.tokenizer,
            right.tokenizer,
          )}
        </Note>
      )}
      <div class="compare-sides">
        <Side
          side={left}
          label={l10n.t('Left')}
          trace={trace}
          siblings={others(siblings.left, other)}
          onEpisode={(episode) => navigate(compareRoute(episode, other, { ...sides, timeline: null }))}
          onTimeline={(timeline) => navigate(compareRoute(one, other, { ...sides, timeline }))}
        />
        <Side
          side={right}
          label={l10n.t('Right')}
          trace={otherTrace}
          siblings={others(siblings.right, one)}
          onEpisode={(episode) => navigate(compareRoute(one, episode, { ...sides, otherTimeline: null }))}
          onTimeline={(otherTimeline) => navigate(compareRoute(one, other, { ...sides, otherTimeline }))}
        />
        <Rewards rewards={view.rewards} />
      </div>
      {view.coarse && (
        <Note kind="info">
          {l10n.t('The differences are too large for an exact comparison, so more is marked than differs.')}
        </Note>
      )}
    </header>
  );
}

function Title({ route, view: { left, right }, onSwap }: Omit<Props, 'siblings'>) {
  const { trace, otherTrace } = route;
  const isOneRun = trace === null && otherTrace === null;
  const [one, other] = [left.row.episode, right.row.episode];
  return (
    <div class="title-line">
      <h1>
        {isOneRun
          ? l10n.t('Episode {0} and episode {1}', one, other)
          : l10n.t(
              '{0}, episode {1} and {2}, episode {3}',
              nameOf(left, trace),
              one,
              nameOf(right, otherTrace),
              other,
            )}
      </h1>
      <button type="button" onClick={onSwap}>
        {l10n.t('Swap sides')} <kbd>s</kbd>
      </button>
      <OtherRun episode={ownEpisode(route)} />
      {!isOneRun && <OwnRun episode={ownEpisode(route)} />}
    </div>
  );
}

/** Returns the run's experiment. If both runs have the same name, returns the viewer's name of its trace. */
function nameOf({ experiment }: CompareSide, trace: string | null): string {
  return trace === null ? experiment : l10n.t('{0} ({1})', experiment, fileName(trace));
}

interface SideProps {
  readonly side: CompareSide;
  /** Null: the viewer's own trace. */
  readonly trace: string | null;
  readonly label: string;
  readonly siblings: readonly EpisodeRow[];
  readonly onEpisode: (episode: number) => void;
  readonly onTimeline: (timeline: number) => void;
}

function Side({ side, trace, label, siblings, onEpisode, onTimeline }: SideProps) {
  const { row, timeline, timelines } = side;
  return (
    <section class="compare-side" aria-label={label}>
      <label>
        {label}
        <select
          aria-label={l10n.t('Episode')}
          value={row.episode}
          onChange={({ currentTarget }) => onEpisode(Number(currentTarget.value))}
        >
          {siblings.map(({ episode, repeat, reward: own }) => (
            <option key={episode} value={episode}>
              {l10n.t('Episode {0}, repeat {1}, reward {2}', episode, repeat, reward(own))}
            </option>
          ))}
        </select>
      </label>
      <select
        aria-label={l10n.t('Timeline')}
        value={timeline ?? ''}
        onChange={({ currentTarget }) => onTimeline(Number(currentTarget.value))}
      >
        {timelines.map((one) => (
          <option key={one.timeline} value={one.timeline}>
            {l10n.t('Timeline {0}, {1} tokens', one.timeline, count(one.tokens))}
          </option>
        ))}
      </select>
      {trace === null ? (
        <OpenTimeline {...side} />
      ) : (
        <span class="muted compare-trace" title={trace}>
          {fileName(trace)}
        </span>
      )}
    </section>
  );
}

function OpenTimeline({ row: { episode }, timeline, tokens }: CompareSide) {
  if (timeline === null || tokens === 0) return <span class="muted">{l10n.t('It has no tokens.')}</span>;
  return <RouteLink to={timelineRoute(episode, timeline)}>{l10n.t('Open timeline {0}', timeline)}</RouteLink>;
}

/** The number of reward parts that are shown by default. */
const fewParts = 6;

function Rewards({ rewards }: { readonly rewards: readonly RewardPart[] }) {
  if (rewards.length === 0) return null;
  return (
    <details class="compare-rewards" open={rewards.length <= fewParts}>
      <summary>{l10n.t('Parts of the reward')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{l10n.t('Part')}</th>
            <th scope="col">{l10n.t('Left')}</th>
            <th scope="col">{l10n.t('Right')}</th>
            <th scope="col">{l10n.t('Right − left')}</th>
          </tr>
        </thead>
        <tbody>
          {rewards.map(({ name, left, right }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{reward(left)}</td>
              <td>{reward(right)}</td>
              <td>{delta(left, right)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Returns the difference with its sign, or the sign for unknown if a side has no value. */
export function delta(left: number | null, right: number | null): string {
  if (left === null || right === null) return unknown;
  const difference = right - left;
  return difference > 0 ? `+${reward(difference)}` : reward(difference);
}
