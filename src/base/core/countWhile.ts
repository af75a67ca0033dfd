/**
 * Returns the number of the first entries for which `holds` is true, by a binary search.
 *
 * @param holds must be true up to some entry and false after it
 */
export function countWhile<T>(entries: ArrayLike<T>, holds: (entry: T) => boolean): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(entries[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
