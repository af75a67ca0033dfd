import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { CodedError } from '../../base/core/errors.ts';
import { childEnvironment } from '../../base/node/process/environment.ts';
import { traceRuntime } from '../node/client/serverProcess.ts';
import { onInterrupt } from '../../base/node/terminal/interrupts.ts';

/** Suppresses Node's warning that its SQLite module is experimental. */
const quiet = '--disable-warning=ExperimentalWarning';

export function readsTraces(): boolean {
  return process.execArgv.includes(quiet);
}

/**
 * Runs the command again with a Node.js that can read traces, on the same terminal. Resolves to its exit code. Rejects
 * with `runtime/…` if there is no such Node.js.
 *
 * @param milliseconds the time limit, after which the process is killed and `cli/timeout` is thrown; absent: no limit
 */
export async function inTraceNode(
  args: readonly string[],
  distFolder: string,
  milliseconds?: number,
): Promise<number> {
  const { executable, env } = await traceRuntime(process.execPath);
  const child = spawn(executable, [quiet, path.join(distFolder, 'cli.mjs'), ...args], {
    env: childEnvironment(process.env, [env], process.platform),
    stdio: 'inherit',
    windowsHide: true,
  });
  // The child decides how it ends. Ctrl-C in a terminal has already reached it, and a second signal would kill it.
  const kill = (): void => void child.kill('SIGKILL');
  const interrupts = onInterrupt((signal) => {
    if (signal !== 'SIGINT' || !isAtTerminal()) child.kill(signal);
    setTimeout(kill, grace).unref(); // a query that blocks it sees no signal
  });
  const timer = AbortSignal.timeout(milliseconds ?? longest);
  timer.addEventListener('abort', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  timer.removeEventListener('abort', kill);
  interrupts.dispose();
  if (timer.aborted) throw tookTooLong((milliseconds ?? 0) / 1_000);
  return code ?? interrupted;
}

function isAtTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}

/** Milliseconds in which an interrupted process cleans up. */
const grace = 3_000;

/** The longest delay of a timer, in milliseconds. */
const longest = 2 ** 31 - 1;

function tookTooLong(seconds: number): CodedError {
  return new CodedError({
    code: 'cli/timeout',
    message: `It was given up after ${seconds} seconds.`,
    hint: 'Ask for less, or give it longer with --timeout S.',
  });
}

const interrupted = 130;
