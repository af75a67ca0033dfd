/** Tokens `from` … `end` of a timeline, `end` excluded. */
export interface TokenRange {
  readonly from: number;
  readonly end: number;
}

/** What two ranges have in common; null: nothing. */
export function overlap(one: TokenRange, other: TokenRange): TokenRange | null {
  const [from, end] = [Math.max(one.from, other.from), Math.min(one.end, other.end)];
  return from < end ? { from, end } : null;
}

/** All tokens from one to another, both included, in whatever order. */
export function between(one: number, other: number): TokenRange {
  return { from: Math.min(one, other), end: Math.max(one, other) + 1 };
}
