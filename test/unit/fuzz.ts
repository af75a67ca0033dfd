import { isDeep } from '../tools/deep.ts';

/**
 * How often a property is tried: `full` times in the deep run, a tenth of that otherwise. With one seed both try the
 * same cases, the shorter run the first of them.
 */
export function fuzz(seed: number, full: number): { readonly seed: number; readonly numRuns: number } {
  return { seed, numRuns: isDeep ? full : Math.ceil(full / 10) };
}
