import type { BigIntStats } from 'node:fs';

export function stampOf(stats: BigIntStats): string {
  return `${stats.mtimeNs}.${stats.ctimeNs}.${stats.size}.${stats.ino}`;
}

const millisecond = 1_000_000n;

/**
 * Whether a change after `now` (milliseconds) is sure to change the stamp: within a tick of the file system's clock it
 * would not. Some count whole seconds, some two.
 */
export function isSettled(stats: BigIntStats, now: number): boolean {
  const newest = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  const tick = newest % millisecond === 0n ? 2_500n * millisecond : 50n * millisecond;
  return newest + tick < BigInt(Math.floor(now)) * millisecond;
}

export function isExecutable(stats: BigIntStats): boolean {
  return (stats.mode & 0o100n) !== 0n && process.platform !== 'win32';
}
