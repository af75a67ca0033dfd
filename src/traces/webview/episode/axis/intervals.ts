import { lengthOf, type Range } from './range.ts';

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
