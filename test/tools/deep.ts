import process from 'node:process';

/** True in the deep run, which tries all cases. */
export const isDeep = process.env['AGENTJET_DEEP'] === '1';

/** Returns the cases to try: the most telling ones, and in the deep run the others as well. */
export function casesOf<T>(telling: readonly T[], others: readonly T[]): readonly T[] {
  return isDeep ? [...telling, ...others] : telling;
}
