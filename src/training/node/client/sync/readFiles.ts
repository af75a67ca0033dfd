import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { open, type FileHandle, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { sumOf } from '../../filePieces.ts';

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

/** Does not follow a link or block on a pipe that replaces a file during a sync. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const tries = 3;

interface SummedFile {
  readonly stats: BigIntStats;
  readonly sha256: string;
}

/** Reads a file in one consistent state into the start of `into`. Returns undefined if it is larger. */
export function readSmall(file: string, into: Buffer): (SummedFile & { readonly bytes: Buffer }) | undefined {
  for (let left = tries; left > 0; left--) {
    const found = readOnce(file, into);
    if (found !== 'changed') return found;
  }
  throw syncErrors.changedWhileSent(file);
}

function readOnce(file: string, into: Buffer): ReturnType<typeof readSmall> | 'changed' {
  const descriptor = readErrors(file, () => openSync(file, flags));
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!stats.isFile()) throw syncErrors.changedWhileSent(file);
    if (stats.size > into.length) return undefined;
    const read = readErrors(file, () => readAll(descriptor, into, Number(stats.size)));
    const bytes = into.subarray(0, read);
    const after = fstatSync(descriptor, { bigint: true });
    const isSame = BigInt(bytes.length) === stats.size && after.mtimeNs === stats.mtimeNs;
    return isSame && after.size === stats.size ? { stats, bytes, sha256: sumSmall(bytes) } : 'changed';
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the number of bytes, which is less than `length` for a file that became shorter. */
function readAll(descriptor: number, into: Buffer, length: number): number {
  let at = 0;
  while (at < length) {
    const read = readSync(descriptor, into, at, length - at, at);
    if (read === 0) break;
    at += read;
  }
  return at;
}

/** Returns the checksum of a large file. A file that grows, such as a log, counts with its size at the start. */
export async function sumLarge(file: string, cancellation: CancellationToken): Promise<SummedFile> {
  const handle = await openLarge(file);
  try {
    const stats = await handle.stat({ bigint: true });
    const shorter = (): Error => syncErrors.changedWhileSent(file);
    return { stats, sha256: await sumOf(handle, Number(stats.size), shorter, cancellation) };
  } finally {
    await handle.close();
  }
}

export async function openLarge(file: string): Promise<FileHandle> {
  try {
    return await open(file, flags);
  } catch (error) {
    throw problemOf(file, error);
  }
}

export function sumSmall(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function readErrors<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw problemOf(file, error);
  }
}

function problemOf(file: string, error: unknown): Error {
  return hasCode(error, 'ENOENT', 'ELOOP')
    ? syncErrors.changedWhileSent(file)
    : syncErrors.unreadable(file, error);
}

/** The longest time that other work waits, in milliseconds. */
const slice = 5;

/**
 * Yields to the event loop at intervals. Many small synchronous file system calls are much faster than one promise
 * for each.
 */
export class Slices {
  #since = performance.now();

  /** Returns a promise if it is time to yield. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < slice) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
