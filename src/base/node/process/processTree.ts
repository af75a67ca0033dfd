import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { guardTree } from './guard.ts';
import { descendantsOf, killSurvivors, killTree, signal } from './kill.ts';

export interface TreeOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A child process together with all it starts. On POSIX it leads its own process group, what is left of the group is
 * killed when it ends, and should this process die first, however, the whole tree is killed within a second or so.
 */
export interface ProcessTree {
  readonly child: ChildProcess;
  readonly pid: number;
  /** When the first process has ended; its streams may still hold data. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** SIGTERM to the group, SIGKILL to the tree when it is still there after `grace` milliseconds (default 2000). Windows kills at once. */
  terminate(grace?: number): Promise<void>;
  /** SIGKILL to the whole tree, at once and synchronously. */
  killTree(): void;
}

/** Rejects with Node's own error (`ENOENT`, `EACCES`, …) when the program cannot be started. */
export async function spawnTree(options: TreeOptions): Promise<ProcessTree> {
  const platform = options.platform ?? process.platform;
  const child = spawn(options.command, options.args, spawnOptions(options, platform));
  const exited = exitOf(child);
  await once(child, 'spawn');
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.command} was started but has no process id.`);
  const guard = platform === 'win32' ? undefined : guardTree(pid);
  let running = true;
  const isRunning = (): boolean => running;
  child.once('exit', () => {
    running = false;
    // A process that survives in the group keeps the group's number taken: this cannot hit another one.
    if (platform !== 'win32') signal(-pid, 'SIGKILL');
    guard?.dispose();
  });
  return {
    child,
    pid,
    exited,
    killTree: () => {
      if (isRunning()) killTree(pid, platform);
    },
    terminate: async (grace = 2000) => {
      if (!isRunning()) return;
      // Once their parent has ended, those that left the group can no longer be found.
      const known = descendantsOf(pid);
      if (platform !== 'win32') await askToEnd(pid, exited, grace);
      if (isRunning()) killTree(pid, platform);
      await exited;
      killSurvivors(known);
    },
  };
}

/** What differs between platforms: only POSIX has groups, and only Windows opens console windows. */
export function spawnOptions(
  options: Pick<TreeOptions, 'cwd' | 'env' | 'stdio'>,
  platform: NodeJS.Platform,
): {
  cwd: string;
  env: Record<string, string>;
  stdio: StdioOptions;
  detached: boolean;
  windowsHide: boolean;
} {
  return {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: options.stdio,
    detached: platform !== 'win32',
    windowsHide: true,
  };
}

async function askToEnd(group: number, exited: Promise<unknown>, grace: number): Promise<void> {
  signal(-group, 'SIGTERM');
  const timer = new AbortController();
  const timeout = delay(grace, undefined, { signal: timer.signal }).catch(() => undefined); // aborted: ended in time
  await Promise.race([exited, timeout]);
  timer.abort();
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, name) => resolve({ code, signal: name }));
  });
}
