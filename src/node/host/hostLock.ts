import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Disposable } from '../../base/disposable.ts';
import { CodedError } from '../../base/errors.ts';
import { notedProcess, noteProcess, stillRuns, type NotedProcess } from './runs/processes.ts';

/**
 * Makes a data folder this process's own until disposed. One that was left by a process which is no more is taken over;
 * throws `host/already-running` where that process still runs.
 */
export function lockDataFolder(dataFolder: string): Disposable {
  const file = lockFile(dataFolder);
  const own = `${file}.${process.pid}`;
  const text = JSON.stringify(noteProcess(process.pid));
  writeFileSync(own, text, { mode: 0o600 });
  try {
    while (!linked(own, file)) putAside(file, `${own}.old`, dataFolder);
  } finally {
    rmSync(own, { force: true });
  }
  return {
    dispose: () => {
      if (textOf(file) === text) rmSync(file, { force: true });
    },
  };
}

/** The process whose the folder is now; undefined: nobody's. */
export function holderOf(dataFolder: string): number | undefined {
  const holder = readNote(textOf(lockFile(dataFolder)) ?? '');
  return holder !== undefined && stillRuns(holder) ? holder.pid : undefined;
}

const lockFile = (dataFolder: string): string => path.join(dataFolder, 'host.lock');

/** Of two that try at once one succeeds, and the note is there as a whole. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function putAside(file: string, aside: string, dataFolder: string): void {
  const text = textOf(file);
  if (text === undefined) return;
  const holder = readNote(text);
  if (holder !== undefined && stillRuns(holder)) throw alreadyRunning(dataFolder, holder.pid);
  try {
    renameSync(file, aside);
  } catch {
    return; // somebody else has put it aside
  }
  // Somebody else may have taken the folder since it was read: theirs goes back.
  if (textOf(aside) !== text) linked(aside, file);
  rmSync(aside, { force: true });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // it is gone
  }
}

function readNote(text: string): NotedProcess | undefined {
  try {
    return notedProcess.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function alreadyRunning(dataFolder: string, pid: number): CodedError {
  return new CodedError({
    code: 'host/already-running',
    message: `A host with the data folder ${dataFolder} runs already, as process ${pid}.`,
    hint: 'Stop that one first, or name another folder with `--data`.',
  });
}
