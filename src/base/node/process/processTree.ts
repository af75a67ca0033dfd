import { spawn, type ChildProcess, type SpawnOptions, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { descendantsOf, killSurvivors, killTree, signal } from './kill.ts';
import { Socket } from 'node:net';
import { toDisposable, type Disposable } from '../../core/disposable.ts';

export interface TreeOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * A child process with its descendants. On POSIX it leads its own process group, and the rest of the group is killed
 * when it ends. If this process dies first, the whole tree is killed within about a second.
 */
export interface ProcessTree {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves when the first process has ended. Its streams may still have data. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Sends SIGTERM to the group, and SIGKILL to the tree after `grace` milliseconds (default 2000). Windows kills at once. */
  terminate(grace?: number): Promise<void>;
  /** Sends SIGKILL to the whole tree synchronously. */
  killTree(): void;
}

/** Starts a process tree. Rejects with the Node.js error (`ENOENT`, `EACCES`, …) if the program cannot start. */
export async function spawnTree(options: TreeOptions): Promise<ProcessTree> {
  const platform = options.platform ?? process.platform;
  const child = spawn(options.command, options.args, spawnOptions(options, platform));
  const exited = exitOf(child);
  await once(child, 'spawn');
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.command} started without a process id.`);
  const guard = platform === 'win32' ? undefined : guardTree(pid);
  let running = true;
  const isRunning = (): boolean => running;
  child.once('exit', () => {
    running = false;
    // The group id is not reused while a process of the group is alive, so this cannot kill another group.
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
      // Processes that left the group cannot be found after their parent has ended.
      const known = descendantsOf(pid);
      if (platform !== 'win32') await askToEnd(pid, exited, grace);
      if (isRunning()) killTree(pid, platform);
      await exited;
      killSurvivors(known);
    },
  };
}

/** Returns the spawn options. Only POSIX has process groups, and only Windows opens console windows. */
export function spawnOptions(
  options: Pick<TreeOptions, 'cwd' | 'env' | 'stdio'>,
  platform: NodeJS.Platform,
): SpawnOptions {
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

/**
 * The script of the guard, a shell that waits until the kernel closes its stdin, with no polling and about 1 MB. $1 is
 * the leader of the process group. A line on stdin releases the guard. The end of stdin without a line means that the
 * owner died, even by SIGKILL. Then the script first collects the descendants (on Linux), because those that left the
 * group cannot be found once it is killed. It uses only shell built-ins, since slim images have no ps.
 */
const script = `
read -r _ && exit 0
tree=" $1 "
grew=1
while [ $grew = 1 ]; do
  grew=0
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    pid=\${line%% *}
    rest=\${line##*) }
    rest=\${rest#* }
    parent=\${rest%% *}
    case $tree in
      *" $pid "*) ;;
      *" $parent "*) tree="$tree$pid " grew=1 ;;
    esac
  done
done
kill -s KILL -- "-$1" $tree
`;

/** Kills the group of `leader` if this process dies. Dispose it as soon as the leader has ended. Windows does not need it: jobs end child processes there. */
export function guardTree(leader: number): Disposable {
  const shell = spawn('/bin/sh', ['-c', script, 'agentjet-guard', String(leader)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // so that Ctrl-C does not end it before its owner
    env: {},
    cwd: '/',
  });
  // Without a shell there is no guard, but the control channel of the guarded process closes.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined); // the guard has already ended
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref(); // it would keep this process alive
  return toDisposable(() => shell.stdin.end('\n'));
}
