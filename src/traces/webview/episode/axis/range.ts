/** A range of the time axis, in milliseconds since the episode began. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The shortest visible range, in milliseconds. Clocks are not more precise. */
const shortest = 0.02;

export function lengthOf({ start, end }: Range): number {
  return end - start;
}

/** Returns the range, moved into the bounds, and shortened if it is longer than they are. */
function within(range: Range, bounds: Range): Range {
  const length = Math.min(lengthOf(range), lengthOf(bounds));
  const start = Math.min(Math.max(range.start, bounds.start), bounds.end - length);
  return { start, end: start + length };
}

/** @param factor of the length; below 1 shows less */
export function zoomed(range: Range, factor: number, at: number, bounds: Range): Range {
  const length = Math.min(Math.max(lengthOf(range) * factor, shortest), lengthOf(bounds));
  const start = at - (at - range.start) * (length / lengthOf(range));
  return within({ start, end: start + length }, bounds);
}

export function panned(range: Range, by: number, bounds: Range): Range {
  return within({ start: range.start + by, end: range.end + by }, bounds);
}

/** Returns the range if it contains a span. Otherwise moves it, and widens it if necessary, to contain the span. */
export function including(range: Range, span: Range, bounds: Range): Range {
  if (span.start >= range.start && span.end <= range.end) return range;
  if (lengthOf(span) >= lengthOf(range)) return around(span, bounds);
  const middle = (span.start + span.end) / 2;
  const half = lengthOf(range) / 2;
  return within({ start: middle - half, end: middle + half }, bounds);
}

/** Returns the range of the span with some margin before and after. */
export function around(span: Range, bounds: Range): Range {
  const margin = Math.max(lengthOf(span) * 0.1, shortest);
  return within({ start: span.start - margin, end: span.end + margin }, bounds);
}

/** Follows growing bounds if it was at their end. A full range stays full; a part keeps its length. */
export function following(range: Range, before: Range, after: Range): Range {
  if (after.end <= before.end) return within(range, after);
  const isWhole = range.start <= before.start && range.end >= before.end;
  if (isWhole) return after;
  return range.end >= before.end ? panned(range, after.end - before.end, after) : range;
}

/** Returns the union of ranges in order, without adjacent ones. */
export function union(ranges: readonly Range[]): readonly Range[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Returns the parts of some ranges that others do not cover. Both must be results of {@link union}. */
export function without(some: readonly Range[], others: readonly Range[]): readonly Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const { start, end } of some) {
    let from = start;
    for (; at < others.length; at++) {
      const other = others[at];
      if (other === undefined || other.start >= end) break;
      if (other.start > from) left.push({ start: from, end: other.start });
      from = Math.max(from, other.end);
      if (other.end > end) break; // it may reach into the next
    }
    if (from < end) left.push({ start: from, end });
  }
  return left;
}

export function total(ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + lengthOf(range), 0);
}
