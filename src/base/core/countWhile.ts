/** Returns for how many of the first entries `holds` is true. It must be false for all others: the search is binary. */
export function countWhile<T>(entries: ArrayLike<T>, holds: (entry: T) => boolean): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(entries[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
