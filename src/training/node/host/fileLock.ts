import { createHash, randomUUID } from 'node:crypto';
import { lchownSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import { attempt } from '../../../base/core/attempt.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError, hasCode } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { noteProcess, notedProcess, stillRuns } from './runs/processes.ts';

/** The pause between two attempts, in milliseconds. */
const pause = 10;
/** Attempts for ten seconds. A holder only reads and writes a small file. */
const usualTries = 1_000;
/** The note of the holder. On a system without `/proc` it has only the process id. */
const holderNote = z.extend(z.partial(notedProcess), {
  pid: z.int().check(z.positive()),
  /** The name and a hash of the id of its machine. Other machines know nothing about its process. */
  machine: z.optional(z.string()),
});
export type HolderNote = z.infer<typeof holderNote>;

/** Options of a lock in a folder that several machines can share. */
export interface MachineLock {
  readonly machine: string;
  /** Also takes the lock of another machine. */
  readonly takeOver: boolean;
  /** The file of the last holder. On a full disk it becomes the next lock. */
  readonly last: string;
}
/** The size of a lock with a {@link MachineLock}, so that one can replace the text of another in place. */
const roomOfLock = 1_024;

/** Runs `work` while holding a lock file next to `file`. Throws `host/file-locked` if the lock is not free in time. */
export function withFileLock<T>(file: string, work: () => T, tries = usualTries): T {
  const held = takeFileLock(`${file}.lock`, tries, locked);
  try {
    return work();
  } finally {
    held.dispose();
  }
}

/**
 * Takes over the lock of a process that has ended. `refused` returns the error if the lock is not free in time. It
 * receives the holder if known.
 */
export function takeFileLock(
  lock: string,
  tries: number,
  refused: (lock: string, holder: HolderNote | undefined) => CodedError,
  shared?: MachineLock,
): Disposable {
  const { machine, last } = shared ?? {};
  const note = { pid: process.pid, ...noteProcess(process.pid), key: randomUUID(), machine };
  const text = JSON.stringify(note).padEnd(shared === undefined ? 0 : roomOfLock);
  if (!isTaken(lock, text, tries, shared)) throw refused(lock, noteIn(lock));
  return {
    dispose: () => {
      if (textOf(lock) !== text) return;
      if (last === undefined) rmSync(lock, { force: true });
      else renameSync(lock, last);
    },
  };
}

/** Returns the id of the process that holds a lock and still runs. */
export function holderOfLock(lock: string): number | undefined {
  const holder = noteIn(lock);
  return holder !== undefined && stillHolds(holder) ? holder.pid : undefined;
}

/** Gives a file that root wrote to the owner of its folder, who could not use it otherwise. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const folder = statSync(path.dirname(file));
  // Changes a link itself, not its target, so that root gives nothing else away.
  if (folder.uid !== 0) lchownSync(file, folder.uid, folder.gid);
}

function isTaken(lock: string, text: string, tries: number, shared: MachineLock | undefined): boolean {
  const own = `${lock}.${process.pid}.${randomUUID().slice(0, 8)}`;
  try {
    writeOwn(own, text, shared?.last);
    giveToFolderOwner(own);
    for (let left = tries; !linked(own, lock) && !tookOver(own, lock, shared); left--) {
      if (left <= 1) return false;
      sleep(pause);
    }
    return true;
  } finally {
    rmSync(own, { force: true });
  }
}

function writeOwn(own: string, text: string, last: string | undefined): void {
  try {
    // Other users may have to read who holds the lock. It contains no secret.
    writeFileSync(own, text, { mode: 0o644, flag: 'wx' });
  } catch (error) {
    if (last === undefined || textOf(last) === undefined || !hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
    renameSync(last, own);
    writeFileSync(own, text, { flag: 'r+' });
  }
}

/**
 * Replaces the lock of a process that has ended. A guard, named after the text of the old lock, lets one process do
 * so. A process that comes late finds another text behind the guard.
 */
function tookOver(own: string, lock: string, shared: MachineLock | undefined): boolean {
  const text = textOf(lock);
  const holder = readNote(text ?? '');
  if (text === undefined || (holder !== undefined && (isElsewhere(holder, shared) || stillHolds(holder))))
    return false;
  const guard = `${lock}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (!linked(lock, guard)) return false;
  try {
    if (textOf(guard) !== text) return false;
    renameSync(own, lock);
    if (shared !== undefined) renameSync(guard, shared.last);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Returns whether a holder is, or was, on another machine. */
export function isElsewhere(
  { machine }: Pick<HolderNote, 'machine'>,
  shared: Pick<MachineLock, 'machine' | 'takeOver'> | undefined,
): boolean {
  if (shared === undefined || shared.takeOver || machine === undefined) return false;
  return machine !== shared.machine;
}

function stillHolds(holder: HolderNote): boolean {
  const whole = notedProcess.safeParse(holder);
  return whole.success ? stillRuns(whole.data) : answers(holder.pid);
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Creates a hard link. Returns false if `to` exists or `from` does not. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
    throw error;
  }
}

/** Returns the text of a file. Undefined: it is missing or unreadable. */
export function textOf(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}

export function noteIn(lock: string): HolderNote | undefined {
  return readNote(textOf(lock) ?? '');
}

function readNote(text: string): HolderNote | undefined {
  return holderNote.safeParse(parseJson(text)).data;
}

/** Blocks the thread. The caller is a command or a host that starts. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function locked(lock: string, holder: HolderNote | undefined): CodedError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new CodedError({
    code: 'host/file-locked',
    message: `The file is locked by ${who}.`,
    location: { file: lock },
    hint: 'Try again. If no such process is running, delete this file.',
  });
}
