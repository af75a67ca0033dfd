import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as z from 'zod/mini';
import type { Disposable } from '../../../base/core/disposable.ts';
import { hostStart } from '../../core/protocol/sshHost.ts';
import { writeFileAtomicSync } from '../../../base/node/atomicFile.ts';
import { holderOf } from './hostLock.ts';

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
  writeFileAtomicSync(file, `${JSON.stringify({ pid: process.pid, ...where })}\n`);
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
