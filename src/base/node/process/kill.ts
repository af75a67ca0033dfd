/** Kills processes with their descendants. All functions are synchronous, so that they work while this process exits. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { attempt } from '../../core/attempt.ts';

/** A process of this machine. The start time distinguishes it from a later process with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly started: string;
}

/** Returns the command that kills a process tree on Windows, which has no process groups. */
export function taskkillCommand(pid: number): readonly [command: string, args: readonly string[]] {
  return ['taskkill', ['/pid', String(pid), '/T', '/F']];
}

/**
 * Kills a process, its descendants, and its group if it leads one. Only on Linux this includes descendants that left the
 * group.
 */
export function killTree(leader: number, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    const [command, args] = taskkillCommand(leader);
    spawnSync(command, args, { stdio: 'ignore', windowsHide: true });
    return;
  }
  for (const { pid } of descendantsOf(leader)) signal(pid, 'SIGKILL');
  signal(-leader, 'SIGKILL'); // last, since this process may lead the group
}

export function killSurvivors(processes: readonly ProcessIdentity[]): void {
  for (const { pid } of processes.filter(isAlive)) signal(pid, 'SIGKILL');
}

/**
 * Kills the descendants of this process, then this process. Used after its owner has ended: descendants that left the
 * group could not be found after a plain exit.
 */
export function killOwnTree(): void {
  killTree(process.pid, process.platform);
  process.kill(process.pid, 'SIGKILL'); // reached if this process does not lead a group
}

/** Signals a process, or a group if `pid` is negative. Returns false if there is none. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  // Undefined: already ended, or only zombies are left (EPERM on macOS).
  return attempt(() => process.kill(pid, name)) ?? false;
}

/** Returns all descendants of a process. Empty without `/proc`. */
export function descendantsOf(leader: number): readonly ProcessIdentity[] {
  const all = allProcesses();
  const found: ProcessIdentity[] = [];
  const pending = [leader];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    const children = all.filter(({ parent }) => parent === pid);
    found.push(...children);
    pending.push(...children.map((child) => child.pid));
  }
  return found;
}

/** Returns the other processes with `NAME=value` in their environment, orphans included. Empty without `/proc`. */
export function processesWith(variable: string): readonly ProcessIdentity[] {
  return allProcesses().filter(({ pid }) => pid !== process.pid && environmentOf(pid).includes(variable));
}

/** Returns the environment as `NAME=value`. Empty if it cannot be read. */
export function environmentOf(pid: number): readonly string[] {
  return wordsOf(pid, 'environ');
}

/** Returns the program and its arguments. Empty if they cannot be read. */
export function commandOf(pid: number): readonly string[] {
  return wordsOf(pid, 'cmdline');
}

function wordsOf(pid: number, file: 'environ' | 'cmdline'): readonly string[] {
  // Undefined: it has ended, or belongs to another user.
  return attempt(() => readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0')) ?? [];
}

/** Returns whether the process is running and is not a later one with the same id. */
export function isAlive(identity: ProcessIdentity): boolean {
  return readStat(identity.pid)?.started === identity.started;
}

export interface ProcessStat extends ProcessIdentity {
  readonly parent: number;
  /** The id of the process that created the session. */
  readonly session: number;
}

/** Returns all processes of this machine except zombies. Empty without `/proc`. */
export function allProcesses(): ProcessStat[] {
  return processNumbers().flatMap((pid) => readStat(pid) ?? []);
}

/** Returns the ids of all processes with zombies. Empty without `/proc`. */
export function processNumbers(): number[] {
  return attempt(() => readdirSync('/proc').map(Number).filter(Number.isInteger)) ?? [];
}

/** Returns undefined if the process has ended or is a zombie. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (text === undefined) return undefined; // ended between listing and reading, or there is no /proc
  // "pid (name) state ppid …"; the name may hold spaces and parentheses. Field 22 of all is the start time.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  return { pid, parent: Number(fields[1]), session: Number(fields[3]), started: fields[19] ?? '' };
}
