import * as l10n from '@vscode/l10n';
import type { MergedView, MergingView } from '../../core/protocol/mergingRpc.ts';
import { timelineRoute, type TimelineRoute } from '../state/route.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { CallChips } from '../ui/CallChips.tsx';
import { count } from '../../../base/core/format.ts';
import { ForkDetail } from './ForkDetail.tsx';

const mostDrawn = 100;
const mostCalls = 12;

export function MergeTree({ episode, view }: { readonly episode: number; readonly view: MergingView }) {
  const { timelines, forks } = view;
  const longest = Math.max(1, ...timelines.map(({ messages }) => messages));
  const setting = view.chosen === 0 ? null : (view.rows[view.chosen]?.setting ?? null);
  const noteOf = (index: number, { parent }: MergedView) => {
    const fork = forks.find(({ timeline }) => timeline === index);
    if (fork) return <ForkDetail episode={episode} fork={fork} />;
    if (parent === null) return null;
    const { timeline, messages } = parent;
    return <p class="muted">{l10n.t('Leaves timeline {0} at message {1}.', timeline, messages)}</p>;
  };
  return (
    <>
      <ol class="merge-tree" aria-label={l10n.t('Timelines')}>
        {timelines.slice(0, mostDrawn).map((timeline, index) => (
          <li key={index} class="merge-branch">
            <Branch timeline={timeline} longest={longest} />
            <BranchHead
              episode={episode}
              timeline={timeline}
              to={timelineRoute(episode, index, null, { setting })}
            />
            {noteOf(index, timeline)}
          </li>
        ))}
      </ol>
      {timelines.length > mostDrawn && (
        <p class="muted">{l10n.t('and {0} more', count(timelines.length - mostDrawn))}</p>
      )}
    </>
  );
}

/** A bar as long as a timeline, relative to the longest. The part shared with its parent is lighter. */
function Branch({ timeline, longest }: { readonly timeline: MergedView; readonly longest: number }) {
  const { messages, parent } = timeline;
  const own = parent?.messages ?? 0;
  const [start, end] = [(own / longest) * 100, (messages / longest) * 100];
  return (
    <svg class="merge-line" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
      {own > 0 && <path class="merge-shared" d={`M0 6H${start}`} />}
      {parent && <path class="merge-fork" d={`M${start} 0V12`} />}
      <path class="merge-own" d={`M${start} 6H${end}`} />
    </svg>
  );
}

interface HeadProps {
  readonly episode: number;
  readonly timeline: MergedView;
  readonly to: TimelineRoute;
}

function BranchHead({ episode, timeline, to }: HeadProps) {
  const { calls, agents, messages, tokens, trainableTokens } = timeline;
  const counts = [count(messages), count(tokens), count(trainableTokens)];
  return (
    <div class="merge-head">
      <RouteLink to={to}>{l10n.t('Timeline {0}', to.timeline)}</RouteLink>
      <span class="muted">{agents.join(', ')}</span>
      <CallChips episode={episode} calls={calls} most={mostCalls} />
      <span class="merge-counts muted">{l10n.t('{0} messages, {1} tokens, {2} trainable', ...counts)}</span>
    </div>
  );
}
