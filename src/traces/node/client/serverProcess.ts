import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { childEnvironment } from '../../../base/node/process/environment.ts';
import { chooseRuntime, type Runtime } from '../../../base/node/runtime/chooseRuntime.ts';
import { createProbe } from '../../../base/node/runtime/probe.ts';
import { clientErrors } from './errors.ts';

export interface TraceServerParts {
  readonly distFolder: string;
  /** The executable of the editor or of this process. It is used if PATH has no Node.js that can read traces. */
  readonly ownExecutable: string;
  /** Returns the current value of `agentjet.runtimeExecutable`. */
  readonly runtimeExecutable: () => string | undefined;
  /** Returns false while traces may not be read: their folder may be a stranger's. Absent: always trusted. */
  readonly isTrusted?: () => boolean;
}

/** Starts the program, which ends with its standard input or this process. Rejects with a CodedError. */
export type SpawnTraceServer = (args: readonly string[]) => Promise<ChildProcessWithoutNullStreams>;

export function traceServerSpawner(parts: TraceServerParts): SpawnTraceServer {
  const script = path.join(parts.distFolder, 'traceServer.mjs');
  const probe = createProbe();
  return async (args) => {
    if (parts.isTrusted?.() === false) throw clientErrors.notTrusted();
    const runtime = await traceRuntime(parts.ownExecutable, probe, parts.runtimeExecutable());
    return start(runtime, [script, ...args]);
  };
}

/** Chooses a Node.js that can read traces. Rejects with `runtime/…` if there is none. */
export function traceRuntime(
  ownExecutable: string,
  probe = createProbe(),
  setting?: string,
): Promise<Runtime> {
  return chooseRuntime({
    setting,
    path: process.env['PATH'] ?? '',
    editorExecPath: ownExecutable,
    platform: process.platform,
    probe,
    purpose: 'traces',
  });
}

async function start(
  { executable, env }: Pick<Runtime, 'executable' | 'env'>,
  args: readonly string[],
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(executable, ['--disable-warning=ExperimentalWarning', ...args], {
    env: childEnvironment(process.env, [env], process.platform),
    stdio: 'pipe',
    windowsHide: true,
    detached: process.platform !== 'win32', // the parent handles Ctrl-C of a terminal
  });
  child.on('error', () => undefined); // a failed start is reported below, a later failure by 'close'
  child.stdin.on('error', () => undefined); // the process has ended, which 'close' reports
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8');
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw clientErrors.cannotStart(executable, error);
  }
  return child;
}

/** Milliseconds in which a server cleans up. */
const grace = 5_000;

/** Ends a server. One that is busy does not see the end of its input, and is killed. */
export function endServer(child: ChildProcessWithoutNullStreams): void {
  child.stdin.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), grace).unref();
  child.once('close', () => clearTimeout(timer));
}
