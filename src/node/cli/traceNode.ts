import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { childEnvironment } from '../process/environment.ts';
import { chooseRuntime } from '../runtime/chooseRuntime.ts';
import { createProbe } from '../runtime/probe.ts';

/** Node's SQLite says once that it is new, which is nobody's business here. */
const quiet = '--disable-warning=ExperimentalWarning';

/** Whether this process was started to read traces. */
export function readsTraces(): boolean {
  return process.execArgv.includes(quiet);
}

/**
 * Runs the command again, in a Node that reads traces; the terminal is the same. Resolves to its exit code, and rejects
 * with `runtime/…` where there is no such Node.
 */
export async function inTraceNode(args: readonly string[], distFolder: string): Promise<number> {
  const { executable, env } = await chooseRuntime({
    path: process.env['PATH'] ?? '',
    editorExecPath: process.execPath,
    platform: process.platform,
    probe: createProbe(),
    purpose: 'traces',
  });
  const child = spawn(executable, [quiet, path.join(distFolder, 'cli.mjs'), ...args], {
    env: childEnvironment(process.env, [env], process.platform),
    stdio: 'inherit',
    windowsHide: true,
  });
  // A terminal's Ctrl-C reaches both, and the child decides how it ends.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of signals) process.off(signal, pass);
  return code ?? interrupted;
}

const interrupted = 130;
