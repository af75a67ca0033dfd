/** What of the time axis is in view, in milliseconds since the episode began. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Milliseconds in view, at least: below that, clocks have nothing to tell. */
const shortest = 0.02;

export function lengthOf({ start, end }: Range): number {
  return end - start;
}

/** Moved so far, but no further than the bounds, that it lies within them; shortened where it is longer. */
function within(range: Range, bounds: Range): Range {
  const length = Math.min(lengthOf(range), lengthOf(bounds));
  const start = Math.min(Math.max(range.start, bounds.start), bounds.end - length);
  return { start, end: start + length };
}

/**
 * @param factor of the length: below 1 shows less
 * @param at what stays where it is
 */
export function zoomed(range: Range, factor: number, at: number, bounds: Range): Range {
  const length = Math.min(Math.max(lengthOf(range) * factor, shortest), lengthOf(bounds));
  const start = at - (at - range.start) * (length / lengthOf(range));
  return within({ start, end: start + length }, bounds);
}

export function panned(range: Range, by: number, bounds: Range): Range {
  return within({ start: range.start + by, end: range.end + by }, bounds);
}

/** As it was where a span lies in it; else moved, and widened where it must be, so that the span does. */
export function including(range: Range, span: Range, bounds: Range): Range {
  if (span.start >= range.start && span.end <= range.end) return range;
  if (lengthOf(span) >= lengthOf(range)) return around(span, bounds);
  const middle = (span.start + span.end) / 2;
  const half = lengthOf(range) / 2;
  return within({ start: middle - half, end: middle + half }, bounds);
}

/** The span with a little of what is before and after it. */
export function around(span: Range, bounds: Range): Range {
  const margin = Math.max(lengthOf(span) * 0.1, shortest);
  return within({ start: span.start - margin, end: span.end + margin }, bounds);
}

/** Follows bounds that grow, if it was at their end: whole stays whole, a part stays as long as it is. */
export function following(range: Range, before: Range, after: Range): Range {
  if (after.end <= before.end) return within(range, after);
  const isWhole = range.start <= before.start && range.end >= before.end;
  if (isWhole) return after;
  return range.end >= before.end ? panned(range, after.end - before.end, after) : range;
}
