/** Pauses between attempts, in one unit of time. */
export interface BackoffLimits {
  readonly first: number;
  /** No pause is longer. */
  readonly most: number;
}

/** Returns the pause after a number of failures in a row, from 1: each pause is twice as long as the one before. */
export function backoff(failures: number, { first, most }: BackoffLimits): number {
  return Math.min(most, first * 2 ** (failures - 1));
}
