import type { CallRow } from '../../protocol/traceRpc.ts';

/** The calls of one agent, on as many rows as run at the same time. */
export interface Lane {
  readonly agent: string;
  readonly rows: readonly (readonly CallRow[])[];
}

/** Milliseconds since the Unix epoch. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Lanes in the order in which their agents first call. */
export function lanesOf(calls: readonly CallRow[]): readonly Lane[] {
  const byAgent = new Map<string, CallRow[]>();
  for (const call of inOrderOfStart(calls)) {
    const own = byAgent.get(call.agent);
    if (own) own.push(call);
    else byAgent.set(call.agent, [call]);
  }
  return [...byAgent].map(([agent, own]) => ({ agent, rows: rowsOf(own) }));
}

export function inOrderOfStart(calls: readonly CallRow[]): readonly CallRow[] {
  return calls.toSorted((one, other) => one.startedAt - other.startedAt || one.call - other.call);
}

/** Each call goes to the first row that is free when it starts. */
function rowsOf(calls: readonly CallRow[]): readonly (readonly CallRow[])[] {
  const rows: CallRow[][] = [];
  for (const call of calls) {
    const free = rows.find((row) => {
      const last = row.at(-1);
      return last === undefined || endOf(last) <= call.startedAt;
    });
    if (free) free.push(call);
    else rows.push([call]);
  }
  return rows;
}

export function endOf({ startedAt, seconds }: { startedAt: number; seconds: number }): number {
  return startedAt + seconds * 1000;
}

/** From the episode's start to its end, or, while it runs, to the end of its last call. */
export function spanOf(
  { startedAt, seconds }: { readonly startedAt: number; readonly seconds: number | null },
  calls: readonly CallRow[],
): Span {
  const ends = calls.reduce((latest, call) => Math.max(latest, endOf(call)), startedAt);
  const end = seconds === null ? ends : Math.max(ends, startedAt + seconds * 1000);
  return { start: startedAt, end: Math.max(end, startedAt + 1) };
}

/** Milliseconds in which at least one call waits for the model. */
export function waitingTime(calls: readonly CallRow[]): number {
  let total = 0;
  let until = -Infinity;
  for (const call of inOrderOfStart(calls)) {
    const end = endOf(call);
    total += Math.max(0, end - Math.max(call.startedAt, until));
    until = Math.max(until, end);
  }
  return total;
}

/** Round times in milliseconds from 0 to `length`, about `wanted` of them. */
export function ticksOf(length: number, wanted: number): readonly number[] {
  const raw = length / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
}
