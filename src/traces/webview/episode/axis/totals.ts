import { total, union } from './intervals.ts';
import { boundsAt, endOf, workingRanges, type AxisModel, type AxisSpan, type LaneKind } from './model.ts';
import { lengthOf, type Range } from './range.ts';

/** What one agent, tool, judge, … took, in milliseconds. */
export interface Total {
  readonly kind: LaneKind;
  readonly name: string;
  readonly count: number;
  /** Of those, the ones that have a time: a tool that nobody answers has none. */
  readonly timed: number;
  /** Of all of them, one after the other. */
  readonly sum: number;
  /** In which at least one of them was going on: parallel ones count once. */
  readonly covered: number;
  readonly longest: number;
  readonly failed: number;
}

/** Where an episode's time went, in milliseconds; what overlaps counts in each of them. */
export interface Shares {
  readonly whole: number;
  /** An LLM call was under way. */
  readonly model: number;
  /** Of that, before a model was asked. */
  readonly queued: number;
  /** A tool may have run. */
  readonly tools: number;
  /** The environment service or the helper LLM was asked. */
  readonly services: number;
  readonly judge: number;
  /** The workflow ran, and waited for none of those that answer it: its own code, tools included. */
  readonly working: number;
}

/** In the order of the lanes, each agent, tool, … by its name. */
export function totalsOf(model: AxisModel, now: number): readonly Total[] {
  const groups = new Map<string, { readonly lane: number; readonly spans: AxisSpan[] }>();
  model.spans.forEach((span, id) => {
    const key = `${span.kind} ${span.name}`;
    const lane = model.rows[model.rowOf[id] ?? 0]?.lane ?? 0;
    const group = groups.get(key);
    if (group) group.spans.push(span);
    else groups.set(key, { lane, spans: [span] });
  });
  return [...groups.values()]
    .toSorted((one, other) => one.lane - other.lane)
    .map(({ spans }) => totalOf(spans, now));
}

function totalOf(spans: readonly AxisSpan[], now: number): Total {
  const [first] = spans;
  const timed = spans.filter(({ state }) => state !== 'unanswered');
  const ranges = timed.map((span) => rangeOf(span, now));
  return {
    kind: first?.kind ?? 'agent',
    name: first?.name ?? '',
    count: spans.length,
    timed: timed.length,
    sum: ranges.reduce((sum, range) => sum + lengthOf(range), 0),
    covered: total(union(ranges)),
    longest: ranges.reduce((longest, range) => Math.max(longest, lengthOf(range)), 0),
    failed: spans.filter(({ state }) => state === 'failed').length,
  };
}

export function sharesOf(model: AxisModel, now: number): Shares {
  const of = (...kinds: readonly LaneKind[]): readonly Range[] =>
    union(model.spans.filter(({ kind }) => kinds.includes(kind)).map((span) => rangeOf(span, now)));
  const whole = boundsAt(model, now);
  const queued = model.spans.flatMap(({ start, asked }) => (asked === null ? [] : [{ start, end: asked }]));
  return {
    whole: lengthOf(whole),
    model: total(of('agent')),
    queued: total(union(queued)),
    tools: total(of('tool')),
    services: total(of('environment', 'helper')),
    judge: total(of('judge')),
    working: total(workingRanges(model, now)),
  };
}

function rangeOf(span: AxisSpan, now: number): Range {
  return { start: span.start, end: endOf(span, now) };
}
