/** Ends the processes that a test started, and finds those that are left. */
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Returns the processes that have `marker` in their command line or environment. All descendants of a process inherit
 * its environment, in any process group or session. On Windows the result is always empty.
 */
export async function processesWith(marker: string): Promise<readonly FoundProcess[]> {
  if (process.platform === 'win32') return [];
  const found = process.platform === 'linux' ? await fromProc(marker) : await fromPs(marker);
  return found.filter(({ pid }) => pid !== process.pid);
}

async function fromProc(marker: string): Promise<readonly FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid) => {
      const [command, environment] = await Promise.all([procText(pid, 'cmdline'), procText(pid, 'environ')]);
      const hit = command.includes(marker) || environment.includes(marker);
      return hit ? [{ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }] : [];
    }),
  );
  return all.flat();
}

async function procText(pid: string, file: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}

async function fromPs(marker: string): Promise<readonly FoundProcess[]> {
  const { stdout } = await run('ps', ['-axwwE', '-o', 'pid=,command=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(marker))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }));
}

export interface LeftoverOptions {
  /** Which processes must be gone. Default: all. */
  readonly counts?: (found: FoundProcess) => boolean;
  readonly timeoutMs?: number;
}

/** Waits until no process with the marker is left. Kills and returns the processes that remain after `timeoutMs`. */
export async function leftovers(
  marker: string,
  { counts = () => true, timeoutMs = 30_000 }: LeftoverOptions = {},
): Promise<readonly FoundProcess[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const isLast = Date.now() > deadline;
    const found = (await processesWith(marker)).filter(counts);
    if (found.length === 0) return [];
    if (isLast) {
      for (const { pid } of found) signal(pid, 'SIGKILL');
      return found;
    }
    await delay(50);
  }
}

/** Ends a `detached` child and its process group: with SIGTERM, and after `graceMs` with SIGKILL. */
export async function stopGroup(child: ChildProcess, graceMs = 5_000): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const group = groupOf(child.pid);
  signal(group, 'SIGTERM');
  const force = setTimeout(() => signal(group, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(force);
}

/** Kills a `detached` child and its process group when this process exits. */
export function endWithUs(child: ChildProcess): void {
  const end = () => {
    if (child.pid !== undefined) signal(groupOf(child.pid), 'SIGKILL');
  };
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}

function groupOf(pid: number): number {
  return process.platform === 'win32' ? pid : -pid;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process ended before the signal reached it.
  }
}
