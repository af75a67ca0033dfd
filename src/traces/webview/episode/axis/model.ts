/** An episode as lanes of spans, for drawing a time axis and for finding the span at a point. */
import { countWhile } from '../../../../base/core/countWhile.ts';
import type { CallRow, EpisodeView, SpanRow } from '../../../core/protocol/episodeRpc.ts';
import { union, without } from './intervals.ts';
import { RowMips } from './mips.ts';
import type { Range } from './range.ts';

export type LaneKind = 'workflow' | 'agent' | 'tool' | 'environment' | 'helper' | 'judge';

/** Times are milliseconds since the episode began. */
export interface AxisSpan extends Range {
  /** A key that stays the same while the episode grows. */
  readonly key: string;
  readonly kind: LaneKind;
  readonly name: string;
  /** The call itself, or the call that called the tool; null: none. */
  readonly call: number | null;
  readonly state: SpanRow['state'] | 'failed';
  readonly error: string | null;
  /** For a call, if known: the time of the request to a model, and of the first part of the response. */
  readonly asked: number | null;
  readonly first: number | null;
  /** The row of an ended call. */
  readonly row: CallRow | null;
  readonly answeredBy: number | null;
}

/** Spans of a lane that do not overlap. */
export interface AxisRow {
  readonly lane: number;
  readonly mips: RowMips;
}

export interface Lane {
  readonly kind: LaneKind;
  readonly name: string;
  /** The first of its consecutive rows. */
  readonly firstRow: number;
  readonly rows: number;
}

export interface AxisModel {
  /** The start of the episode, in milliseconds since the Unix epoch. */
  readonly origin: number;
  /** From 0 to the last known end. */
  readonly bounds: Range;
  /** True if a span runs. Then the end is the current time. */
  readonly runs: boolean;
  /** The spans ordered by start. */
  readonly spans: readonly AxisSpan[];
  readonly lanes: readonly Lane[];
  readonly rows: readonly AxisRow[];
  /** The row of each span. */
  readonly rowOf: Int32Array;
  /** The span of each key. */
  readonly ids: ReadonlyMap<string, number>;
  /** The times in which the workflow's own code ran, including tools. */
  readonly working: RowMips;
}

type Laid = Omit<AxisModel, 'working'>;

export function axisModel(episode: EpisodeView, others: readonly SpanRow[]): AxisModel {
  const calls = episode.calls.filter(isTimed);
  const timed = others.filter(isTimed);
  const origin = originOf(episode.row.startedAt, [...calls, ...timed]);
  const own = new Set(episode.calls.map(({ call }) => call));
  const rest = timed.filter(({ kind, call }) => kind !== 'call' || call === null || !own.has(call));
  const spans = [
    ...calls.map((call) => callSpan(call, origin)),
    ...withKeys(rest).map(([span, key]) => otherSpan(span, key, origin)),
  ];
  const end = spans.reduce(
    (latest, span) => Math.max(latest, Number.isFinite(span.end) ? span.end : span.start),
    (episode.row.seconds ?? 0) * 1000,
  );
  const bounds = { start: 0, end: Math.max(end, 1) };
  const ordered = spans
    .map((span) => (span.state === 'lost' ? { ...span, end: bounds.end } : span))
    .sort(
      (one, other) => one.start - other.start || laneOrder.indexOf(one.kind) - laneOrder.indexOf(other.kind),
    );
  const runs = episode.row.state === 'running';
  const ids = new Map(ordered.map(({ key }, id) => [key, id]));
  const model = { origin, bounds, runs, spans: ordered, ids, ...laidOut(ordered) };
  return { ...model, working: mipsOf(workingRanges(model, bounds.end)) };
}

/** Returns true if the time of a call is known. Traces of other tools may not have it. */
export function isTimed({ startedAt }: Pick<CallRow, 'startedAt'>): boolean {
  return startedAt > 0;
}

const day = 86_400_000;

/** Returns the start of the episode, or its first known time. */
function originOf(startedAt: number, spans: readonly { readonly startedAt: number }[]): number {
  const first = spans.reduce((earliest, span) => Math.min(earliest, span.startedAt), Infinity);
  return first < startedAt || first - startedAt > day
    ? Number.isFinite(first)
      ? first
      : startedAt
    : startedAt;
}

/**
 * Returns the ranges in which the workflow ran without waiting for calls or services. Traces of earlier versions do
 * not have its times.
 */
export function workingRanges(model: Laid, now: number): readonly Range[] {
  const of = (isOne: (kind: LaneKind) => boolean): readonly Range[] =>
    union(
      model.spans
        .filter(({ kind }) => isOne(kind))
        .map((span) => ({ start: span.start, end: endOf(span, now) })),
    );
  const workflow = of((kind) => kind === 'workflow');
  const running = workflow.length > 0 ? workflow : [boundsAt(model, now)];
  return without(
    running,
    of((kind) => kind !== 'workflow' && kind !== 'tool'),
  );
}

function mipsOf(ranges: readonly Range[]): RowMips {
  return new RowMips({
    starts: Float64Array.from(ranges, ({ start }) => start),
    ends: Float64Array.from(ranges, ({ end }) => end),
    ids: Int32Array.from(ranges, (_, index) => index),
    failed: new Uint8Array(ranges.length),
  });
}

export const callKey = (call: number): string => `call ${call}`;

/** From the outermost to the innermost, then what follows. */
const laneOrder: readonly LaneKind[] = ['workflow', 'agent', 'tool', 'environment', 'helper', 'judge'];

function callSpan(row: CallRow, origin: number): AxisSpan {
  const { call, agent, startedAt, seconds, error, askedAfter, firstAfter } = row;
  const start = startedAt - origin;
  const after = (offset: number | null): number | null => (offset === null ? null : start + offset * 1000);
  return {
    key: callKey(call),
    kind: 'agent',
    name: agent,
    call,
    start,
    end: start + seconds * 1000,
    state: error === null ? 'ended' : 'failed',
    error,
    asked: after(askedAfter),
    first: after(firstAfter),
    row,
    answeredBy: null,
  };
}

/** Returns spans with keys. The order distinguishes equal spans. */
function withKeys(spans: readonly SpanRow[]): readonly (readonly [SpanRow, string])[] {
  const alike = new Map<string, number>();
  return spans.map((span) => {
    const { kind, name, call, startedAt } = span;
    if (kind === 'call' && call !== null) return [span, callKey(call)];
    const common = `${kind} ${call ?? ''} ${startedAt} ${name}`;
    const count = (alike.get(common) ?? 0) + 1;
    alike.set(common, count);
    return [span, `${common} ${count}`];
  });
}

function otherSpan(span: SpanRow, key: string, origin: number): AxisSpan {
  const { kind, name, call, startedAt, seconds, state, error, answeredBy } = span;
  const start = startedAt - origin;
  const end = seconds !== null ? start + seconds * 1000 : state === 'running' ? Infinity : start;
  return {
    key,
    kind: kind === 'call' ? 'agent' : kind,
    name,
    call,
    start,
    end,
    state: error === null ? state : 'failed',
    error,
    asked: null,
    first: null,
    row: null,
    answeredBy,
  };
}

/**
 * Arranges spans in lanes: one lane per agent and tool, and one for each other kind. Lanes of a kind are in order of
 * first use.
 */
function laidOut(spans: readonly AxisSpan[]): Pick<AxisModel, 'lanes' | 'rows' | 'rowOf'> {
  const members = new Map<string, number[]>();
  spans.forEach(({ kind, name }, index) => {
    const key = kind === 'agent' || kind === 'tool' ? `${kind} ${name}` : kind;
    const lane = members.get(key);
    if (lane) lane.push(index);
    else members.set(key, [index]);
  });
  const byKind = [...members.values()].map((ids) => ({ ids, ...laneOf(spans, ids) }));
  byKind.sort((one, other) => laneOrder.indexOf(one.kind) - laneOrder.indexOf(other.kind));
  const lanes: Lane[] = [];
  const rows: AxisRow[] = [];
  const rowOf = new Int32Array(spans.length);
  for (const { ids, kind, name } of byKind) {
    const firstRow = rows.length;
    for (const row of rowsOf(spans, ids)) {
      for (const id of row) rowOf[id] = rows.length;
      rows.push({ lane: lanes.length, mips: new RowMips(columnsOf(spans, row)) });
    }
    lanes.push({ kind, name, firstRow, rows: rows.length - firstRow });
  }
  return { lanes, rows, rowOf };
}

function laneOf(spans: readonly AxisSpan[], ids: readonly number[]): Pick<Lane, 'kind' | 'name'> {
  const { kind, name } = spans[ids[0] ?? 0] ?? { kind: 'agent', name: '' };
  return { kind, name };
}

/** Assigns each span to the first row that is free at its start. */
function rowsOf(spans: readonly AxisSpan[], ids: readonly number[]): readonly (readonly number[])[] {
  const rows: number[][] = [];
  const ends: number[] = [];
  for (const id of ids) {
    const { start, end } = spans[id] ?? { start: 0, end: 0 };
    const free = ends.findIndex((last) => last <= start);
    const row = free === -1 ? rows.length : free;
    (rows[row] ??= []).push(id);
    ends[row] = end;
  }
  return rows;
}

function columnsOf(spans: readonly AxisSpan[], row: readonly number[]) {
  const of = (value: (span: AxisSpan) => number): Float64Array =>
    Float64Array.from(row, (id) => {
      const span = spans[id];
      return span === undefined ? 0 : value(span);
    });
  return {
    starts: of(({ start }) => start),
    ends: of(({ end }) => end),
    ids: Int32Array.from(row),
    failed: Uint8Array.from(row, (id) => (spans[id]?.state === 'failed' ? 1 : 0)),
  };
}

/** Returns the end of a span, or the current time while it runs. */
export function endOf({ start, end }: Range, now: number): number {
  return Number.isFinite(end) ? end : Math.max(start, now);
}

/** Returns the range from the start of the episode to its current end. */
export function boundsAt({ bounds, runs }: Pick<AxisModel, 'bounds' | 'runs'>, now: number): Range {
  return runs ? { start: bounds.start, end: Math.max(bounds.end, now) } : bounds;
}

/** Returns the span of a row at a time, or the nearest within `reach`; undefined: there is none. */
export function spanAt(
  { rows }: AxisModel,
  row: number,
  time: number,
  { reach, now }: { readonly reach: number; readonly now: number },
): number | undefined {
  const columns = rows[row]?.mips.columns;
  if (columns === undefined) return undefined;
  const { starts, ends, ids } = columns;
  const next = upperBound(starts, time);
  const distance = (index: number): number => {
    const [start, end] = [starts[index], ends[index]];
    if (start === undefined || end === undefined) return Infinity;
    return Math.max(start - time, time - endOf({ start, end }, now), 0);
  };
  const nearest = distance(next - 1) <= distance(next) ? next - 1 : next;
  return distance(nearest) <= reach ? ids[nearest] : undefined;
}

/** Returns the nearest span of the next lane in a direction; undefined: there is none. */
export function spanInNextLane(model: AxisModel, span: number, direction: 1 | -1): number | undefined {
  const lane = model.rows[model.rowOf[span] ?? 0]?.lane ?? 0;
  const next = model.lanes[lane + direction];
  const from = model.spans[span];
  if (next === undefined || from === undefined) return undefined;
  let nearest: { readonly id: number; readonly distance: number } | undefined;
  for (const { mips } of model.rows.slice(next.firstRow, next.firstRow + next.rows)) {
    const { starts, ids } = mips.columns;
    const after = upperBound(starts, from.start);
    for (const index of [after - 1, after]) {
      const [start, id] = [starts[index], ids[index]];
      if (start === undefined || id === undefined) continue;
      const distance = Math.abs(start - from.start);
      if (nearest === undefined || distance < nearest.distance) nearest = { id, distance };
    }
  }
  return nearest?.id;
}

/** Returns the number of ascending values that do not exceed a limit. */
export function upperBound(values: Float64Array, limit: number): number {
  return countWhile(values, (value) => value <= limit);
}
