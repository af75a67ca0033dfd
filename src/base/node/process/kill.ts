/** Ending a process with everything it started. All of it is synchronous: it must also work while an owner goes down. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** A process of this machine; the start time tells it from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly started: string;
}

/** Windows has no process groups: its own tool ends a tree. */
export function taskkillCommand(pid: number): readonly [command: string, args: readonly string[]] {
  return ['taskkill', ['/pid', String(pid), '/T', '/F']];
}

/**
 * Kills a process, its group (where it leads one) and its descendants, also those that left the group (Linux only:
 * elsewhere they cannot be found without another program).
 */
export function killTree(leader: number, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    const [command, args] = taskkillCommand(leader);
    spawnSync(command, args, { stdio: 'ignore', windowsHide: true });
    return;
  }
  for (const { pid } of descendantsOf(leader)) signal(pid, 'SIGKILL');
  signal(-leader, 'SIGKILL'); // last, since it may be the group that this very process leads
}

/** Kills those of these processes that still run. */
export function killSurvivors(processes: readonly ProcessIdentity[]): void {
  for (const { pid } of processes.filter(isAlive)) signal(pid, 'SIGKILL');
}

/**
 * Kills what this process started, then this process. For when its owner has gone: were it just to exit, those of its
 * children that left its group could no longer be found.
 */
export function killOwnTree(): void {
  killTree(process.pid, process.platform);
  process.kill(process.pid, 'SIGKILL'); // still here: this process leads no group
}

/** Signals a process, or with a negative number a group; whether there was one to signal. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // ended already, or nothing but zombies (macOS answers EPERM): nothing left to signal
  }
}

/** Children, their children and so on; empty where there is no `/proc`. */
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

/**
 * Processes whose environment has `NAME=value`, other than this one: also those whose parent ended before them, which are
 * nobody's descendants. Empty where there is no `/proc`.
 */
export function processesWith(variable: string): readonly ProcessIdentity[] {
  return allProcesses().filter(({ pid }) => pid !== process.pid && environmentOf(pid).includes(variable));
}

/** As `NAME=value`; empty where it cannot be read. */
export function environmentOf(pid: number): readonly string[] {
  return wordsOf(pid, 'environ');
}

/** The program and its arguments; empty where they cannot be read. */
export function commandOf(pid: number): readonly string[] {
  return wordsOf(pid, 'cmdline');
}

function wordsOf(pid: number, file: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0');
  } catch {
    return []; // it has ended, or is somebody else's
  }
}

/** Whether it runs, and is not a later process with the same number. */
export function isAlive(identity: ProcessIdentity): boolean {
  return readStat(identity.pid)?.started === identity.started;
}

export interface ProcessStat extends ProcessIdentity {
  readonly parent: number;
  /** The number of the process that made its session. */
  readonly session: number;
}

/** Of this machine, zombies left out; empty where there is no `/proc`. */
export function allProcesses(): ProcessStat[] {
  return processNumbers().flatMap((pid) => readStat(pid) ?? []);
}

/** Those of all processes, zombies included; empty where there is no `/proc`. */
export function processNumbers(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return []; // not Linux: there is no /proc
  }
}

/** Undefined when the process has ended, zombies included. */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined; // ended between listing and reading, or there is no /proc
  }
  // "pid (name) state ppid …"; the name may hold spaces and parentheses. Field 22 of all is the start time.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  return { pid, parent: Number(fields[1]), session: Number(fields[3]), started: fields[19] ?? '' };
}
