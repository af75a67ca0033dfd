import path from 'node:path';
import { rmSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { holderOfLock, takeFileLock, textOf } from './fileLock.ts';
import { hostStart } from '../../core/protocol/sshHost.ts';
import { writeFileAtomicSync } from '../../../base/node/atomicFile.ts';

const note = z.object({
  pid: z.int(),
  /** The URL on this machine, which may differ from the public one. */
  url: z.string(),
  fingerprint: z.nullable(z.string()),
  id: z.string(),
  version: z.string(),
  program: z.string(),
  /** The start options for a replacement. Hosts of earlier versions do not write them. */
  start: z.optional(hostStart),
});
/** The address of the host of a data folder, for other programs on this machine. */
export type Listening = z.infer<typeof note>;
const fileOf = (dataFolder: string): string => path.join(dataFolder, 'listening.json');

/** Writes the address of this host until disposed. */
export function noteListening(dataFolder: string, where: Omit<Listening, 'pid'>): Disposable {
  const file = fileOf(dataFolder);
  writeFileAtomicSync(file, `${JSON.stringify({ pid: process.pid, ...where })}\n`);
  return { dispose: () => rmSync(file, { force: true }) };
}

export function listeningAt(dataFolder: string): Listening | undefined {
  const holder = holderOf(dataFolder);
  if (holder === undefined) return undefined;
  // Undefined: it does not listen yet.
  const found = note.safeParse(parseJson(textOf(fileOf(dataFolder)) ?? '')).data;
  return found?.pid === holder ? found : undefined;
}

/** If two hosts start at once over an abandoned folder, one may see it in an intermediate state. */
const tries = 5;

/** Takes over the lock of a process that has ended. Throws `host/already-running` otherwise. */
export function lockDataFolder(dataFolder: string): Disposable {
  return takeFileLock(lockFile(dataFolder), tries, (_, holder) => alreadyRunning(dataFolder, holder));
}

export function holderOf(dataFolder: string): number | undefined {
  return holderOfLock(lockFile(dataFolder));
}

const lockFile = (dataFolder: string): string => path.join(dataFolder, 'host.lock');

function alreadyRunning(dataFolder: string, pid: number | undefined): CodedError {
  return new CodedError({
    code: 'host/already-running',
    message: `A host with the data folder ${dataFolder} is already running${pid === undefined ? '' : ` (process ${pid})`}.`,
    hint: 'Stop it first, or choose another folder with `--data`.',
  });
}
