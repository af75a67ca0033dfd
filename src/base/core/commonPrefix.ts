/** Returns the number of equal items at the start of two lists, or of equal UTF-16 units of two texts. */
export function commonPrefixLength<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) if (a[at] !== b[at]) return at;
  return end;
}

/** The number of characters in an excerpt, and of equal characters before the difference. */
const shownLength = 60;
const shownBefore = 20;

/** Returns where the excerpts of two texts start, so that both show the first difference. */
export function excerptStart(one: string, other: string): number {
  const same = commonPrefixLength(one, other);
  return same <= shownBefore + 1 ? 0 : same - shownBefore;
}

/** Returns up to 60 characters from `start`, with an ellipsis at each end that was cut. */
export function excerpt(text: string, start: number): string {
  const shown = text.slice(start, start + shownLength);
  return `${start > 0 ? '…' : ''}${shown}${start + shownLength < text.length ? '…' : ''}`;
}
