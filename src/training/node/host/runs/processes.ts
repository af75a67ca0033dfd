/** Finds the processes of a run, and sends signals to these only. */
import { readFileSync, statSync } from 'node:fs';
import process from 'node:process';
import * as z from 'zod/mini';
import { attempt } from '../../../../base/core/attempt.ts';
import {
  isAlive,
  processesWith,
  readStat,
  signal,
  type ProcessIdentity,
} from '../../../../base/node/process/kill.ts';

/** The variable in the environment of all processes of a run. */
export const runMark = 'AGENTJET_RUN';

export const notedProcess = z.object({
  pid: z.int(),
  /** Start time in clock ticks since boot, from `/proc`. */
  started: z.string(),
  /** The boot id of the machine when it ran. */
  boot: z.string(),
  /** The folder of its control group, if it has one. */
  group: z.optional(z.string()),
});
export type NotedProcess = z.infer<typeof notedProcess>;

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export function noteProcesses(running: readonly ProcessIdentity[]): NotedProcess[] {
  const boot = bootId();
  return running.map(({ pid, started }) => ({ pid, started, boot }));
}

export function noteProcess(pid: number): NotedProcess | undefined {
  const stat = readStat(pid);
  return stat && { pid, started: stat.started, boot: bootId() };
}

export function sameBoot(noted: NotedProcess): boolean {
  return noted.boot === bootId();
}

/** Returns whether a process still runs. After a reboot it does not. */
export function stillRuns(noted: NotedProcess): boolean {
  return sameBoot(noted) && isAlive(noted);
}

/** Returns the marked processes of a run, except its keeper and those of other users. */
export function markedProcesses(run: string, keeper: number | undefined): ProcessIdentity[] {
  const mine = process.getuid?.();
  // Undefined: it has ended.
  const ownerOf = (pid: number): number | undefined => attempt(() => statSync(`/proc/${pid}`).uid);
  return processesWith(`${runMark}=${run}`).filter(({ pid }) => pid !== keeper && ownerOf(pid) === mine);
}

/** Signals the process group of the launcher, like a terminal. */
export function signalGroup(launcher: NotedProcess, name: NodeJS.Signals): void {
  if (stillRuns(launcher)) signal(-launcher.pid, name);
}

export function signalEach(processes: readonly ProcessIdentity[], name: NodeJS.Signals): void {
  for (const one of processes) if (isAlive(one)) signal(one.pid, name);
}
