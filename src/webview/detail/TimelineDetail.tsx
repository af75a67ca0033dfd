import type { TimelineView } from '../../protocol/traceRpc.ts';
import { callPlace } from '../state/place.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, counted, share } from '../ui/format.ts';
import { Empty, Failure, Loading, Note } from '../ui/Notices.tsx';
import { Stat } from '../ui/Stat.tsx';
import { TokenList } from './TokenList.tsx';

interface Props {
  readonly episode: number;
  readonly timeline: number;
}

/** One timeline: the calls that it was merged from, and every token that training would see. */
export function TimelineDetail({ episode, timeline: number }: Props) {
  const { trace } = useViewer();
  const { value: timeline, error, retry } = useAnswer('timeline', { trace, episode, timeline: number });
  return (
    // Another timeline starts at its top, with no token chosen.
    <section key={number} class="detail timeline-detail" aria-label={`Timeline ${number}`}>
      {error && <Failure report={error} retry={retry} />}
      {timeline === undefined && !error && <Loading what={`timeline ${number}`} />}
      {timeline && (
        <>
          <TimelineHeader episode={episode} timeline={timeline} />
          {timeline.row.tokens === 0 ? (
            <Empty title="This timeline has no tokens." />
          ) : (
            <TokenList episode={episode} timeline={number} messages={timeline.messages} />
          )}
        </>
      )}
    </section>
  );
}

function TimelineHeader({
  episode,
  timeline,
}: {
  readonly episode: number;
  readonly timeline: TimelineView;
}) {
  const { row, messages } = timeline;
  return (
    <div class="detail-header foldable">
      <div class="title-line">
        <h2>Timeline {row.timeline}</h2>
        {row.provisional && <span class="badge">provisional</span>}
        <Legend />
      </div>
      {row.provisional && (
        <Note kind="info">
          Merged from the calls so far. The episode still runs, and later calls may change it.
        </Note>
      )}
      <dl class="stats">
        <Stat name="Tokens">{count(row.tokens)}</Stat>
        <Stat name="Trained" note={share(row.trainableTokens, row.tokens)}>
          {count(row.trainableTokens)}
        </Stat>
        <Stat name="Messages">{count(messages.length)}</Stat>
        <MergedCalls episode={episode} calls={row.calls} />
      </dl>
    </div>
  );
}

/** Chips of calls that a header has room for. */
const mostChips = 24;

function MergedCalls({ episode, calls }: { readonly episode: number; readonly calls: readonly number[] }) {
  const { go } = useViewer();
  return (
    <Stat name={`Merged from ${counted(calls.length, 'call')}`}>
      <span class="chips">
        {calls.slice(0, mostChips).map((call) => (
          <button
            key={call}
            type="button"
            class="chip"
            aria-label={`Call ${call}`}
            onClick={() => go(callPlace(episode, call))}
          >
            {call}
          </button>
        ))}
        {calls.length > mostChips && <span class="muted">and {count(calls.length - mostChips)} more</span>}
      </span>
    </Stat>
  );
}

function Legend() {
  return (
    <p class="legend" aria-label="Legend">
      <span class="sample trained">trained</span>
      <span class="sample">not trained</span>
      <span class="sample special">special</span>
      <span class="muted">· space</span>
      <span class="muted">↵ newline</span>
      <span class="muted">→ tab</span>
    </p>
  );
}
