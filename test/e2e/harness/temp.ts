/** The temporary folder that contains all files of one editor. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { leftovers, type FoundProcess } from './processes.ts';

/** Makes a new folder. Its path is short, because it contains sockets, whose paths may have at most 104 characters. */
export async function makeTemp(): Promise<string> {
  const base = process.platform === 'win32' ? os.tmpdir() : '/tmp';
  return realpath(await mkdtemp(path.join(base, 'agentjet-')));
}

/** Removes the folder after the editor has ended. Rejects if processes of the editor had to be killed. */
export async function removeTemp(temp: string): Promise<void> {
  const leaked = await leftovers(temp);
  await rm(temp, { recursive: true, force: true, maxRetries: 5 });
  refuseLeak(leaked);
}

/** Throws if there are any. @param leaked processes that had to be killed */
export function refuseLeak(leaked: readonly FoundProcess[]): void {
  if (leaked.length === 0) return;
  const list = leaked.map(({ pid, command }) => `  ${pid} ${command}`).join('\n');
  throw new Error(`Processes outlived the editor that started them:\n${list}`);
}
