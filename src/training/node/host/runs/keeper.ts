import { spawn, type ChildProcess } from 'node:child_process';
import { link, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import * as z from 'zod/mini';
import { hasCode, messageOf } from '../../../../base/core/errors.ts';
import { runExit, type RunExit } from '../../../core/runs/outcome.ts';
import { inControlGroup } from '../../../../base/node/process/controlGroup.ts';
import { readJson, writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { noteProcess, type NotedProcess } from './processes.ts';

/** The order of a keeper. Its file is deleted after reading, because it holds the variables of the run. */
const keeperOrder = z.object({
  command: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** Variables that override the environment of the keeper. */
  env: z.record(z.string(), z.string()),
});
export type KeeperOrder = z.infer<typeof keeperOrder>;

export const keeperFiles = {
  order: 'keep.json',
  /** The keeper of the run. The first one to create this file has it. */
  keeper: 'keeper.json',
  launcher: 'process.json',
  log: 'launcher.log',
  exit: 'exit.json',
} as const;

export const keptExit = z.extend(runExit, { endedAt: z.number() });
export type NotedExit = z.infer<typeof keptExit>;

/**
 * Runs in a separate process for each run, which outlives the host. Starts the launcher with its output in a file,
 * and notes its exit.
 * It ignores INT, TERM and HUP. A second keeper of a run exits at once.
 *
 * @param file the order, in the run folder
 */
export async function keepRun(file: string): Promise<void> {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
  const folder = path.dirname(path.resolve(file));
  if (!(await isFirst(folder))) return;
  const order = keeperOrder.parse(await readJson(file));
  await rm(file);
  const exit = await runLauncher(folder, order);
  await persistently(path.join(folder, keeperFiles.exit), { ...exit, endedAt: Date.now() });
}

/** Returns whether this is the first keeper of the run. The note appears atomically. */
async function isFirst(folder: string): Promise<boolean> {
  const note = path.join(folder, `keeper.${process.pid}.new`);
  await writeFile(note, JSON.stringify(noteProcess(process.pid)), { mode: 0o600 });
  try {
    await link(note, path.join(folder, keeperFiles.keeper));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(note, { force: true });
  }
}

async function runLauncher(folder: string, { command, args, cwd, env }: KeeperOrder): Promise<RunExit> {
  const log = await open(path.join(folder, keeperFiles.log), 'a', 0o600);
  let child: ChildProcess;
  let group: string | undefined;
  try {
    const start = (): ChildProcess =>
      spawn(command, args, {
        cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
      });
    [child, group] = inControlGroup(`agentjet-${path.basename(folder)}`, start);
  } catch (error) {
    return notStarted(error); // too many or too large variables
  } finally {
    await log.close();
  }
  const ended = exitOf(child);
  const noted = child.pid === undefined ? undefined : noteProcess(child.pid);
  if (noted !== undefined) {
    await persistently(path.join(folder, keeperFiles.launcher), { ...noted, group });
  }
  return ended;
}

function exitOf(child: ChildProcess): Promise<RunExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => resolve(notStarted(error)));
  });
}

function notStarted(error: unknown): RunExit {
  return { code: null, signal: null, error: `The launcher could not be started: ${messageOf(error)}.` };
}

/** Retries until the note is written. The disk may have space later, and no one else knows the content. */
async function persistently(file: string, note: NotedExit | NotedProcess): Promise<void> {
  for (let wait = 250; ; wait = Math.min(2 * wait, 10_000)) {
    try {
      await writeNote(file, note);
      return;
    } catch {
      await after(wait);
    }
  }
}

/** Writes a JSON file in a run folder. Removes a folder in its place. */
export async function writeNote(file: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await writeFileAtomic(file, text).catch(async (error: unknown) => {
    if (!hasCode(error, 'EISDIR')) throw error;
    await rm(file, { recursive: true });
    await writeFileAtomic(file, text);
  });
}
