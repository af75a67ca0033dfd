import { groupBy } from '../../../../tracking/core/groupBy.ts';
import { boundsAt, endOf, workingRanges, type AxisModel, type AxisSpan, type LaneKind } from './model.ts';
import { lengthOf, total, union, type Range } from './range.ts';

/** The times of an agent, tool, judge or service, in milliseconds. */
export interface Total {
  readonly kind: LaneKind;
  readonly name: string;
  readonly count: number;
  /** Number of spans with a known time. An unanswered tool has none. */
  readonly timed: number;
  readonly sum: number;
  /** The time in which at least one of them ran. Parallel spans count once. */
  readonly covered: number;
  readonly longest: number;
  readonly failed: number;
}

/** The distribution of an episode's time, in milliseconds. Overlapping times count in each part. */
export interface Shares {
  readonly whole: number;
  readonly model: number;
  /** The part of it before the request to a model. */
  readonly queued: number;
  /** The time in which a tool may have run. */
  readonly tools: number;
  /** The time of requests to the environment service and the helper LLM. */
  readonly services: number;
  readonly judge: number;
  /** The time of the workflow's own code, including tools, without waiting for calls or services. */
  readonly working: number;
}

export function totalsOf(model: AxisModel, now: number): readonly Total[] {
  const groups = groupBy(model.spans, ({ kind, name }) => `${kind} ${name}`);
  const rowOf = ([first]: readonly AxisSpan[]): number => (first && model.rowOf.get(first)) ?? 0;
  const laneOf = (spans: readonly AxisSpan[]): number => model.rows[rowOf(spans)]?.lane ?? 0;
  return [...groups.values()]
    .sort((one, other) => laneOf(one) - laneOf(other))
    .map((spans) => totalOf(spans, now));
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
