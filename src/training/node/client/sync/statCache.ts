import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BigIntStats } from 'node:fs';

export function stampOf(stats: BigIntStats): string {
  return `${stats.mtimeNs}.${stats.ctimeNs}.${stats.size}.${stats.ino}`;
}

const millisecond = 1_000_000n;

/**
 * Returns whether a change after `now` (milliseconds) surely changes the stamp. Within one tick of the file system
 * clock it may not; a tick can be two seconds.
 */
export function isSettled(stats: BigIntStats, now: number): boolean {
  const newest = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  const tick = newest % millisecond === 0n ? 2_500n * millisecond : 50n * millisecond;
  return newest + tick < BigInt(Math.floor(now)) * millisecond;
}

export function isExecutable(stats: BigIntStats): boolean {
  return (stats.mode & 0o100n) !== 0n && process.platform !== 'win32';
}

export interface FileSum {
  readonly path: string;
  readonly stamp: string;
  readonly sha256: string;
}

const header = 'agentjet sums 1';
const line = /^([0-9a-f]{64}) (\S+) (.+)$/;

/** Reads the cached checksums by path. A file that is unreadable or of another folder counts as empty. */
export async function readSums(file: string | null, root: string): Promise<ReadonlyMap<string, FileSum>> {
  const sums = new Map<string, FileSum>();
  const text = file === null ? '' : await readFile(file, 'utf8').catch(() => '');
  const [first, ofRoot, ...lines] = text.split('\n');
  if (first !== header || ofRoot !== JSON.stringify(root)) return sums;
  for (const one of lines) {
    const [, sha256, stamp, name] = line.exec(one) ?? [];
    if (sha256 !== undefined && stamp !== undefined && name !== undefined) {
      sums.set(name, { path: name, stamp, sha256 });
    }
  }
  return sums;
}

/** Writes the cache atomically. A failure only makes the next sync slower. */
export async function writeSums(file: string, root: string, sums: Iterable<FileSum>): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  const lines = Array.from(sums, ({ path: name, stamp, sha256 }) => `${sha256} ${stamp} ${name}`);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(beside, [header, JSON.stringify(root), ...lines, ''].join('\n'));
    await rename(beside, file);
  } catch {
    await rm(beside, { force: true });
  }
}
