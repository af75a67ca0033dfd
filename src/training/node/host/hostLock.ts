import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { parseJson } from '../../../base/core/parseJson.ts';
import { holderOfLock, isElsewhere, noteIn, takeFileLock, textOf, type HolderNote } from './fileLock.ts';
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

/**
 * Takes over the lock of a process of this machine that has ended. Throws `host/already-running` otherwise. Throws
 * `host/other-machine` if the last host was on another machine, whose runs this one cannot see, unless `takeOver` is set.
 */
export function lockDataFolder(
  dataFolder: string,
  { takeOver = false, machine = thisMachine() } = {},
): Disposable {
  const last = lastFile(dataFolder);
  const shared = { takeOver, machine, last };
  const before = noteIn(last);
  if (before !== undefined && isElsewhere(before, shared)) throw otherMachine(dataFolder, before);
  const refused = (_: string, holder: HolderNote | undefined): CodedError =>
    holder !== undefined && isElsewhere(holder, shared)
      ? otherMachine(dataFolder, holder)
      : alreadyRunning(dataFolder, holder?.pid);
  const lock = takeFileLock(lockFile(dataFolder), tries, refused, shared);
  if (takeOver) rmSync(last, { force: true });
  return lock;
}

/** Returns a folder for the host of this machine: the given one, or one with its name if a host of another machine has it. */
export function folderOfMachine(dataFolder: string, machine = thisMachine()): string {
  const notes = [lockFile(dataFolder), lastFile(dataFolder)].flatMap((file) => noteIn(file) ?? []);
  const isShared = notes.some((one) => isElsewhere(one, { machine, takeOver: false }));
  return isShared ? `${dataFolder}-${nameOf(machine)}` : dataFolder;
}

/** Returns the name of this machine, and a hash of its id, because the id itself is confidential. */
function thisMachine(): string {
  return `${hostname()} ${hash('sha256', (textOf('/etc/machine-id') ?? '').trim()).slice(0, 16)}`;
}

const nameOf = (machine: string): string => machine.split(' ', 1)[0] ?? '';

export function holderOf(dataFolder: string): number | undefined {
  return holderOfLock(lockFile(dataFolder));
}

const lockFile = (dataFolder: string): string => path.join(dataFolder, 'host.lock');
const lastFile = (dataFolder: string): string => path.join(dataFolder, 'host.last');

function otherMachine(dataFolder: string, { machine = '' }: HolderNote): CodedError {
  return new CodedError({
    code: 'host/other-machine',
    message: `The data folder ${dataFolder} belongs to the host on another machine, ${nameOf(machine)}. Its runs can still be running there.`,
    hint: 'Choose another folder with `--data`. If no runs are left there, or this machine was renamed, start with `--take-over`.',
  });
}

function alreadyRunning(dataFolder: string, pid: number | undefined): CodedError {
  return new CodedError({
    code: 'host/already-running',
    message: `A host with the data folder ${dataFolder} is already running${pid === undefined ? '' : ` (process ${pid})`}.`,
    hint: 'Stop it first, or choose another folder with `--data`.',
  });
}
