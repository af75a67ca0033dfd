/** Returns the first index of a sequence of tokens in a list; -1: it is missing. An empty sequence is at 0. */
export function indexOfRun(list: ArrayLike<number>, run: readonly number[]): number {
  for (let start = 0; start + run.length <= list.length; start++) {
    if (startsWithRun(list, run, start)) return start;
  }
  return -1;
}

export function startsWithRun(list: ArrayLike<number>, run: readonly number[], start = 0): boolean {
  return start + run.length <= list.length && run.every((id, offset) => list[start + offset] === id);
}
