import { createHash, randomUUID } from 'node:crypto';
import { lchownSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { noteProcess, notedProcess, stillRuns } from './runs/processes.ts';

export interface LockWait {
  readonly tries: number;
  /** Milliseconds between two. */
  readonly pause: number;
}

/** Ten seconds: whoever has the lock only reads and writes a small file. */
const usualWait: LockWait = { tries: 1_000, pause: 10 };

/** Without the rest where the system does not tell it (no `/proc`). */
const holderNote = z.extend(z.partial(notedProcess), { pid: z.int().check(z.positive()) });
type HolderNote = z.infer<typeof holderNote>;

/**
 * Does what must not happen in two processes at once, with a file beside `file` as the lock. Throws `host/file-locked` where
 * it cannot be had in time.
 */
export function withFileLock<T>(file: string, work: () => T, wait: LockWait = usualWait): T {
  const held = takeFileLock(`${file}.lock`, wait, locked);
  try {
    return work();
  } finally {
    held.dispose();
  }
}

/**
 * Has a lock until disposed; that of a process which is no more is taken over.
 *
 * @param refused what is thrown where it cannot be had in time; told the process that has it, where that shows
 */
export function takeFileLock(
  lock: string,
  wait: LockWait,
  refused: (lock: string, holder: number | undefined) => CodedError,
): Disposable {
  const text = JSON.stringify({ pid: process.pid, ...noteProcess(process.pid), key: randomUUID() });
  if (!isTaken(lock, text, wait)) throw refused(lock, readNote(textOf(lock) ?? '')?.pid);
  return {
    dispose: () => {
      if (textOf(lock) === text) rmSync(lock, { force: true });
    },
  };
}

/** The process that has a lock; undefined: none that still runs. */
export function holderOfLock(lock: string): number | undefined {
  const holder = readNote(textOf(lock) ?? '');
  return holder !== undefined && stillHolds(holder) ? holder.pid : undefined;
}

/** A file that root has written in somebody else's folder becomes theirs: they would not be let in otherwise. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const folder = statSync(path.dirname(file));
  // Of the link itself, should they have put one there: root gives nothing else away.
  if (folder.uid !== 0) lchownSync(file, folder.uid, folder.gid);
}

function isTaken(lock: string, text: string, { tries, pause }: LockWait): boolean {
  const own = `${lock}.${process.pid}.${randomUUID().slice(0, 8)}`;
  try {
    // Others may have to see whose it is; there is no secret in it.
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
 * Puts its own in the place of a lock whose process is no more. Of several that have seen the same one, who has linked it to
 * a name made of its text may; once it is replaced, whoever comes late finds another text behind that name.
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
    return codeOf(error) === 'EPERM';
  }
}

/** Whether `to` is now another name of `from`; not where there is such a file, or none to link. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // it is gone, or may not be read
  }
}

function readNote(text: string): HolderNote | undefined {
  try {
    return holderNote.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Stands still: who asks is a command, or a host that starts. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function locked(lock: string, holder: number | undefined): CodedError {
  const who = holder === undefined ? 'another process' : `process ${holder}`;
  return new CodedError({
    code: 'host/file-locked',
    message: `The file is being changed by ${who}, which does not come to an end.`,
    location: { file: lock },
    hint: 'Try again; where no such process is at work, remove this file.',
  });
}
