/**
 * Returns the position from 0 to `last` that a key moves to; undefined: the key does not move.
 *
 * @param moves the distances of keys. Home and End go to the ends.
 */
export function positionAfterKey(
  key: string,
  at: number,
  last: number,
  moves: Readonly<Record<string, number>>,
): number | undefined {
  const by = moves[key];
  const target = key === 'Home' ? 0 : key === 'End' ? last : by === undefined ? undefined : at + by;
  return target === undefined ? undefined : Math.max(0, Math.min(target, last));
}
