import { useMemo, useRef } from 'preact/hooks';
import type { CallRow, EpisodeView } from '../../protocol/traceRpc.ts';
import { callPlace } from '../state/place.ts';
import { useViewer } from '../state/viewer.ts';
import { duration, percent } from '../ui/format.ts';
import { inOrderOfStart, lanesOf, spanOf, ticksOf, waitingTime, type Span } from './lanes.ts';

const wantedTicks = 8;

/** When the agents waited for the model, and when they worked: the gaps between their calls. */
export function CallLanes({ episode }: { readonly episode: EpisodeView }) {
  const { place, go } = useViewer();
  const chart = useRef<HTMLDivElement>(null);
  const { row, calls } = episode;
  const lanes = useMemo(() => lanesOf(calls), [calls]);
  const span = spanOf(row, calls);
  const related = relatedCalls(episode, place.timeline);
  const focusable = place.call ?? calls[0]?.call;

  const select = (call: number) => go(callPlace(row.episode, call));
  const onKeyDown = (event: KeyboardEvent) => {
    const target = neighbour(calls, place.call, event.key);
    if (target === undefined) return;
    event.preventDefault();
    select(target);
    chart.current?.querySelector<HTMLElement>(`[data-call="${target}"]`)?.focus();
  };
  return (
    <section class="lanes-section foldable" aria-label="Calls over time">
      <Summary calls={calls} span={span} />
      <div class="lanes" ref={chart} onKeyDown={onKeyDown}>
        {lanes.map(({ agent, rows }) => (
          <div key={agent} class="lane" role="group" aria-label={`Calls of ${agent}`}>
            <div class="lane-name" title={agent}>
              {agent}
            </div>
            <div class="lane-rows">
              {rows.map((own, index) => (
                <div key={index} class="lane-row">
                  {own.map((call) => (
                    <CallBar
                      key={call.call}
                      call={call}
                      span={span}
                      selected={call.call === place.call}
                      related={related.has(call.call)}
                      focusable={call.call === focusable}
                      onSelect={() => select(call.call)}
                    />
                  ))}
                </div>
              ))}
            </div>
          </div>
        ))}
        <Axis span={span} />
      </div>
    </section>
  );
}

function Summary({ calls, span }: { readonly calls: readonly CallRow[]; readonly span: Span }) {
  const waiting = waitingTime(calls);
  const length = span.end - span.start;
  return (
    <p class="lanes-summary">
      <span class="swatch swatch-waiting" aria-hidden="true" /> waiting for the model{' '}
      {duration(waiting / 1000)} ({percent(waiting / length)})
      <span class="swatch swatch-working" aria-hidden="true" /> working {duration((length - waiting) / 1000)}
    </p>
  );
}

interface BarProps {
  readonly call: CallRow;
  readonly span: Span;
  readonly selected: boolean;
  /** Of the timeline that is looked at. */
  readonly related: boolean;
  readonly focusable: boolean;
  readonly onSelect: () => void;
}

function CallBar({ call, span, selected, related, focusable, onSelect }: BarProps) {
  const position = (time: number) => `${(100 * (time - span.start)) / (span.end - span.start)}%`;
  const width = `${(100 * call.seconds * 1000) / (span.end - span.start)}%`;
  const failed = call.error !== null;
  return (
    <button
      type="button"
      class={`call-bar ${selected ? 'selected' : ''} ${related ? 'related' : ''} ${failed ? 'failed' : ''}`}
      data-call={call.call}
      aria-pressed={selected}
      tabIndex={focusable ? 0 : -1}
      title={describe(call)}
      aria-label={describe(call)}
      style={{ left: position(Math.max(call.startedAt, span.start)), width }}
      onClick={onSelect}
    >
      <span class="call-bar-name">{failed ? `✕ ${call.call}` : call.call}</span>
    </button>
  );
}

function describe({ call, agent, seconds, promptTokens, replyTokens, error, status }: CallRow): string {
  const outcome = error === null ? `${promptTokens} → ${replyTokens} tokens` : `failed with ${status}`;
  return `Call ${call} of ${agent}: ${duration(seconds)}, ${outcome}`;
}

function Axis({ span: { start, end } }: { readonly span: Span }) {
  const length = end - start;
  return (
    <div class="axis" aria-hidden="true">
      {ticksOf(length, wantedTicks).map((tick) => (
        <span key={tick} class="tick" style={{ left: `${(100 * tick) / length}%` }}>
          {tickLabel(tick)}
        </span>
      ))}
    </div>
  );
}

/** Ticks are at round times: their labels need no zeros. */
function tickLabel(milliseconds: number): string {
  return milliseconds < 60_000
    ? `${Number((milliseconds / 1000).toPrecision(3))} s`
    : duration(milliseconds / 1000);
}

function relatedCalls({ timelines }: EpisodeView, timeline: number | null): ReadonlySet<number> {
  return new Set(timelines.find((candidate) => candidate.timeline === timeline)?.calls);
}

/** The call that an arrow key leads to, by time; undefined: nowhere. */
function neighbour(calls: readonly CallRow[], current: number | null, key: string): number | undefined {
  const order = inOrderOfStart(calls);
  const at = order.findIndex(({ call }) => call === current);
  if (key === 'Home') return order[0]?.call;
  if (key === 'End') return order.at(-1)?.call;
  if (key === 'ArrowRight' || key === 'ArrowDown') return order[at + 1]?.call;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return order[Math.max(at, 1) - 1]?.call;
  return undefined;
}
