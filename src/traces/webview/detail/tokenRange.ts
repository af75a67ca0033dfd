/** Tokens `from` … `end` of a timeline, `end` excluded. */
export interface TokenRange {
  readonly from: number;
  readonly end: number;
}

/** Returns the intersection of two ranges; null: it is empty. */
export function overlap(one: TokenRange, other: TokenRange): TokenRange | null {
  const [from, end] = [Math.max(one.from, other.from), Math.min(one.end, other.end)];
  return from < end ? { from, end } : null;
}

/** Returns all tokens between two, both included, in either order. */
export function between(one: number, other: number): TokenRange {
  return { from: Math.min(one, other), end: Math.max(one, other) + 1 };
}
