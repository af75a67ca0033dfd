import path from 'node:path';
import { readFileSync, rmSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { holderOfLock, takeFileLock } from './fileLock.ts';
import { hostStart } from '../../core/protocol/sshHost.ts';
import { writeWholeSync } from '../../../base/node/wholeFile.ts';

const note = z.object({
  pid: z.int(),
  /** As it listens, not as others reach it. */
  url: z.string(),
  fingerprint: z.nullable(z.string()),
  id: z.string(),
  version: z.string(),
  /** Absolute. */
  program: z.string(),
  /** For who starts another in its place; hosts of earlier versions do not tell. */
  start: z.optional(hostStart),
});
/** Where the host of a data folder is, for other programs of this machine. */
export type Listening = z.infer<typeof note>;

const fileOf = (dataFolder: string): string => path.join(dataFolder, 'listening.json');

/** Notes where this process's host listens, until disposed. */
export function noteListening(dataFolder: string, where: Omit<Listening, 'pid'>): Disposable {
  const file = fileOf(dataFolder);
  writeWholeSync(file, `${JSON.stringify({ pid: process.pid, ...where })}\n`);
  return { dispose: () => rmSync(file, { force: true }) };
}

/** Undefined: there is no host that serves this folder now. */
export function listeningAt(dataFolder: string): Listening | undefined {
  const holder = holderOf(dataFolder);
  if (holder === undefined) return undefined;
  try {
    const found = note.parse(JSON.parse(readFileSync(fileOf(dataFolder), 'utf8')));
    return found.pid === holder ? found : undefined;
  } catch {
    return undefined; // it does not listen yet
  }
}

/** Of two that start at once over a folder that was left, one may see it in between. */
const wait = { tries: 5, pause: 10 };

/**
 * Makes a data folder this process's own until disposed. One that was left by a process which is no more is taken over;
 * throws `host/already-running` where that process still runs.
 */
export function lockDataFolder(dataFolder: string): Disposable {
  return takeFileLock(lockFile(dataFolder), wait, (_, holder) => alreadyRunning(dataFolder, holder));
}

/** The process whose the folder is now; undefined: nobody's. */
export function holderOf(dataFolder: string): number | undefined {
  return holderOfLock(lockFile(dataFolder));
}

const lockFile = (dataFolder: string): string => path.join(dataFolder, 'host.lock');

function alreadyRunning(dataFolder: string, pid: number | undefined): CodedError {
  return new CodedError({
    code: 'host/already-running',
    message: `A host with the data folder ${dataFolder} runs already${pid === undefined ? '' : `, as process ${pid}`}.`,
    hint: 'Stop that one first, or name another folder with `--data`.',
  });
}
