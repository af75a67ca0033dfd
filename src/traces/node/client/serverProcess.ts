import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { childEnvironment } from '../../../base/node/process/environment.ts';
import { chooseRuntime, type Runtime } from '../../../base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../../base/node/runtime/probe.ts';
import { clientErrors } from './errors.ts';

export interface TraceServerParts {
  /** The folder of our own bundles, absolute. */
  readonly distFolder: string;
  /** The editor's own executable, or this process's: it reads traces where PATH has no Node that can. */
  readonly ownExecutable: string;
  /** `agentjet.runtimeExecutable` as it is now. */
  readonly runtimeExecutable: () => string | undefined;
}

/** Starts the program; it ends when its standard input is closed, and with this process. Rejects with a CodedError. */
export type SpawnTraceServer = (args: readonly string[]) => Promise<ChildProcessWithoutNullStreams>;

export function traceServerSpawner(parts: TraceServerParts): SpawnTraceServer {
  const script = path.join(parts.distFolder, 'traceServer.mjs');
  const probe = createProbe();
  return async (args) => {
    const runtime = await chooseRuntime({
      setting: parts.runtimeExecutable(),
      path: process.env['PATH'] ?? '',
      editorExecPath: parts.ownExecutable,
      platform: process.platform,
      probe,
      purpose: 'traces',
    });
    return start(runtime, [script, ...args]);
  };
}

async function start(
  { executable, env }: Pick<Runtime, 'executable' | 'env'>,
  args: readonly string[],
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(executable, ['--disable-warning=ExperimentalWarning', ...args], {
    env: childEnvironment(process.env, [env], process.platform),
    stdio: 'pipe',
    windowsHide: true,
    detached: process.platform !== 'win32', // a terminal's Ctrl-C is its parent's to act upon
  });
  child.on('error', () => undefined); // not started: told below; later on 'close' tells all there is to tell
  child.stdin.on('error', () => undefined); // it has ended: 'close' tells
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw clientErrors.cannotStart(executable, error);
  }
  return child;
}
