import type { RunRecord } from '../protocol/runs.ts';

/**
 * Which Ray a run trains on. `own`: one that it starts, and that ends with it; a machine has room for one, by its ports.
 * `here`: that which runs on the machine. `elsewhere`: that of a cluster which is named.
 */
export type RayUse = 'own' | 'here' | 'elsewhere';

/** @param env of the order, names alone @param address what RAY_ADDRESS is in the host's own environment */
export function rayUse(
  { launcher, flags, env }: Pick<RunRecord, 'launcher' | 'flags' | 'env'>,
  address: string | undefined,
): RayUse {
  if (launcher === 'ray') return 'elsewhere';
  if (flags.includes('--with-ray')) return 'own';
  const isNamed = env.includes('RAY_ADDRESS') || ![undefined, '', 'auto'].includes(address);
  return isNamed ? 'elsewhere' : 'here';
}
