/** Which processes are a run's, and signals that reach these and no other. */
import { readFileSync, statSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod/mini';
import {
  isAlive,
  processesWith,
  readStat,
  signal,
  type ProcessIdentity,
} from '../../../../base/node/process/kill.ts';

/** In the environment of all that a run starts. */
export const runMark = 'AGENTJET_RUN';

export const notedProcess = z.object({
  pid: z.int(),
  /** Clock ticks since boot, as `/proc` has it. */
  started: z.string(),
  /** Of the machine's start in which it ran. */
  boot: z.string(),
});
export type NotedProcess = z.infer<typeof notedProcess>;

/** Another one after each start of the machine. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export function noteProcesses(running: readonly ProcessIdentity[]): NotedProcess[] {
  const boot = bootId();
  return running.map(({ pid, started }) => ({ pid, started, boot }));
}

/** Undefined when it has ended already. */
export function noteProcess(pid: number): NotedProcess | undefined {
  const stat = readStat(pid);
  return stat && { pid, started: stat.started, boot: bootId() };
}

/** Whether the machine was not started anew since. */
export function sameBoot(noted: NotedProcess): boolean {
  return noted.boot === bootId();
}

/** Whether a noted process still runs; one from before the machine's start does not. */
export function stillRuns(noted: NotedProcess): boolean {
  return sameBoot(noted) && isAlive(noted);
}

/** A run's processes but for its keeper, of this user alone, wherever they have moved to since. */
export function markedProcesses(run: string, keeper: number | undefined): ProcessIdentity[] {
  const mine = process.getuid?.();
  return processesWith(`${runMark}=${run}`).filter(({ pid }) => pid !== keeper && ownerOf(pid) === mine);
}

/** To the launcher's group, as a terminal would. */
export function signalGroup(launcher: NotedProcess, name: NodeJS.Signals): void {
  if (stillRuns(launcher)) signal(-launcher.pid, name);
}

/** To those that still are who they were. */
export function signalEach(processes: readonly ProcessIdentity[], name: NodeJS.Signals): void {
  for (const one of processes) if (isAlive(one)) signal(one.pid, name);
}

function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined; // it has ended
  }
}
