/** An episode as lanes of spans, for drawing a time axis and for finding the span at a point. */
import { groupBy } from '../../../../tracking/core/groupBy.ts';
import type { CallRow, EpisodeView, SpanRow } from '../../../core/protocol/episodeRpc.ts';
import { RowMips, startedBy } from './mips.ts';
import { union, without, type Range } from './range.ts';

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
  readonly row: CallRow | null;
  readonly answeredBy: number | null;
}

/** Spans of a lane that do not overlap. */
export interface AxisRow {
  readonly lane: number;
  readonly mips: RowMips<AxisSpan>;
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
  readonly spans: readonly AxisSpan[];
  readonly lanes: readonly Lane[];
  readonly rows: readonly AxisRow[];
  readonly rowOf: ReadonlyMap<AxisSpan, number>;
  readonly ids: ReadonlyMap<string, number>;
  /** The times in which the workflow's own code ran, including tools. */
  readonly working: RowMips<Range>;
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
  return { ...model, working: new RowMips(workingRanges(model, bounds.end)) };
}

/** Returns true if the time of a call is known. Traces of other tools may not have it. */
export function isTimed({ startedAt }: Pick<CallRow, 'startedAt'>): boolean {
  return startedAt > 0;
}

const day = 86_400_000;

/** Returns the start of the episode, or its first known time. */
function originOf(startedAt: number, spans: readonly { readonly startedAt: number }[]): number {
  const first = spans.reduce((earliest, span) => Math.min(earliest, span.startedAt), Infinity);
  const isWrong = first < startedAt || first - startedAt > day;
  return isWrong && Number.isFinite(first) ? first : startedAt;
}

/** Ranges without waiting for calls or services. Traces of earlier versions do not have the times. */
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

/** One lane per agent and tool, and one for each other kind. Lanes of a kind are in order of first use. */
function laidOut(spans: readonly AxisSpan[]): Pick<AxisModel, 'lanes' | 'rows' | 'rowOf'> {
  const byLane = groupBy(spans, ({ kind, name }) =>
    kind === 'agent' || kind === 'tool' ? `${kind} ${name}` : kind,
  );
  const groups = [...byLane.values()].map((members) => ({ members, ...laneOf(members) }));
  groups.sort((one, other) => laneOrder.indexOf(one.kind) - laneOrder.indexOf(other.kind));
  const lanes: Lane[] = [];
  const rows: AxisRow[] = [];
  const rowOf = new Map<AxisSpan, number>();
  for (const { members, kind, name } of groups) {
    const firstRow = rows.length;
    for (const row of rowsOf(members)) {
      for (const span of row) rowOf.set(span, rows.length);
      rows.push({ lane: lanes.length, mips: new RowMips(row) });
    }
    lanes.push({ kind, name, firstRow, rows: rows.length - firstRow });
  }
  return { lanes, rows, rowOf };
}

function laneOf([first]: readonly AxisSpan[]): Pick<Lane, 'kind' | 'name'> {
  return { kind: first?.kind ?? 'agent', name: first?.name ?? '' };
}

/** Assigns each span to the first row that is free at its start. */
function rowsOf(spans: readonly AxisSpan[]): readonly (readonly AxisSpan[])[] {
  const rows: AxisSpan[][] = [];
  for (const span of spans) {
    const free = rows.find((row) => (row.at(-1)?.end ?? 0) <= span.start);
    if (free) free.push(span);
    else rows.push([span]);
  }
  return rows;
}

export function endOf({ start, end }: Range, now: number): number {
  return Number.isFinite(end) ? end : Math.max(start, now);
}

/** Returns the range from the start of the episode to its current end. */
export function boundsAt({ bounds, runs }: Pick<AxisModel, 'bounds' | 'runs'>, now: number): Range {
  return runs ? { start: bounds.start, end: Math.max(bounds.end, now) } : bounds;
}

/** Returns the span of a row at a time, or the nearest within `reach`; undefined: there is none. */
export function spanAt(
  { rows, ids }: AxisModel,
  row: number,
  time: number,
  { reach, now }: { readonly reach: number; readonly now: number },
): number | undefined {
  const spans = rows[row]?.mips.spans ?? [];
  const next = startedBy(spans, time);
  const distance = (span: AxisSpan | undefined): number =>
    span === undefined ? Infinity : Math.max(span.start - time, time - endOf(span, now), 0);
  const [before, after] = [spans[next - 1], spans[next]];
  const nearest = distance(before) <= distance(after) ? before : after;
  return nearest && distance(nearest) <= reach ? ids.get(nearest.key) : undefined;
}

/** Returns the nearest span of the next lane in a direction; undefined: there is none. */
export function spanInNextLane(model: AxisModel, span: number, direction: 1 | -1): number | undefined {
  const from = model.spans[span];
  if (from === undefined) return undefined;
  const lane = model.rows[model.rowOf.get(from) ?? 0]?.lane ?? 0;
  const { firstRow = 0, rows = 0 } = model.lanes[lane + direction] ?? {};
  const candidates = model.rows.slice(firstRow, firstRow + rows).flatMap(({ mips: { spans } }) => {
    const after = startedBy(spans, from.start);
    return spans.slice(Math.max(0, after - 1), after + 1);
  });
  const distance = ({ start }: AxisSpan): number => Math.abs(start - from.start);
  const [nearest] = candidates.sort((one, other) => distance(one) - distance(other));
  return nearest && model.ids.get(nearest.key);
}
