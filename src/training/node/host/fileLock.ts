import { createHash, randomUUID } from 'node:crypto';
import { lchownSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError, hasCode } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { noteProcess, notedProcess, stillRuns } from './runs/processes.ts';

/** The pause between two attempts, in milliseconds. */
const pause = 10;
/** Attempts for ten seconds. A holder only reads and writes a small file. */
const usualTries = 1_000;
/** The note of the holder. On a system without `/proc` it has only the process id. */
const holderNote = z.extend(z.partial(notedProcess), { pid: z.int().check(z.positive()) });
type HolderNote = z.infer<typeof holderNote>;

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
 * receives the id of the holder if known.
 */
export function takeFileLock(
  lock: string,
  tries: number,
  refused: (lock: string, holder: number | undefined) => CodedError,
): Disposable {
  const text = JSON.stringify({ pid: process.pid, ...noteProcess(process.pid), key: randomUUID() });
  if (!isTaken(lock, text, tries)) throw refused(lock, readNote(textOf(lock) ?? '')?.pid);
  return {
    dispose: () => {
      if (textOf(lock) === text) rmSync(lock, { force: true });
    },
  };
}

/** Returns the id of the process that holds a lock and still runs. */
export function holderOfLock(lock: string): number | undefined {
  const holder = readNote(textOf(lock) ?? '');
  return holder !== undefined && stillHolds(holder) ? holder.pid : undefined;
}

/** Gives a file that root wrote to the owner of its folder, who could not use it otherwise. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const folder = statSync(path.dirname(file));
  // Changes a link itself, not its target, so that root gives nothing else away.
  if (folder.uid !== 0) lchownSync(file, folder.uid, folder.gid);
}

function isTaken(lock: string, text: string, tries: number): boolean {
  const own = `${lock}.${process.pid}.${randomUUID().slice(0, 8)}`;
  try {
    // Other users may have to read who holds the lock. It contains no secret.
    writeFileSync(own, text, { mode: 0o644, flag: 'wx' });
    giveToFolderOwner(own);
    for (let left = tries; !linked(own, lock) && !tookOver(own, lock); left--) {
      if (left <= 1) return false;
      sleep(pause);
    }
    return true;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Replaces the lock of a process that has ended. A guard, named after the text of the old lock, lets one process do
 * so. A process that comes late finds another text behind the guard.
 */
function tookOver(own: string, lock: string): boolean {
  const text = textOf(lock);
  const holder = readNote(text ?? '');
  if (text === undefined || (holder !== undefined && stillHolds(holder))) return false;
  const guard = `${lock}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (!linked(lock, guard)) return false;
  try {
    if (textOf(guard) !== text) return false;
    renameSync(own, lock);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
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
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function readNote(text: string): HolderNote | undefined {
  return holderNote.safeParse(parseJson(text)).data;
}

/** Blocks the thread. The caller is a command or a host that starts. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function locked(lock: string, holder: number | undefined): CodedError {
  const who = holder === undefined ? 'another process' : `process ${holder}`;
  return new CodedError({
    code: 'host/file-locked',
    message: `The file is locked by ${who}.`,
    location: { file: lock },
    hint: 'Try again. If no such process is running, delete this file.',
  });
}
