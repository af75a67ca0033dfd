/** Installs debugpy for interpreters without it, in a folder of AgentJet, not in the user's environment. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import type { CodedError } from '../../../base/core/errors.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { LineSplitter } from '../../../base/core/lineSplitter.ts';
import { childEnvironment } from '../../../base/node/process/environment.ts';
import { spawnTree } from '../../../base/node/process/processTree.ts';
import { pythonErrors } from './errors.ts';
import { environmentOf } from './interpreter.ts';
import { localFiles, pathExists } from '../../../base/node/files.ts';

export const debugpyVersion = '1.8.22';

export function debugpyFolder(storage: string): string {
  return path.join(storage, `debugpy-${debugpyVersion}`);
}

export interface DebugpyRequest {
  readonly executable: string;
  readonly workerFolder: string;
  /** AgentJet's absolute storage folder. It is created if missing. */
  readonly storage: string;
  readonly cancellation: CancellationToken;
  /** Called with each line of the installer's output. */
  readonly onLine: (line: string) => void;
}

/** The number of output lines in the error. The log has all of them. */
const linesInError = 3;

/** Resolves to false on cancellation. Rejects with `python/not-found` or `python/debugpy-not-installed`. */
export async function installDebugpy(request: DebugpyRequest): Promise<boolean> {
  const folder = debugpyFolder(request.storage);
  await mkdir(folder, { recursive: true });
  // Install into a staging folder, so that no incomplete package is used.
  const staging = await mkdtemp(path.join(folder, 'new-'));
  try {
    const { executable } = request;
    await runInstaller(
      { ...request, cwd: staging, args: ['agentjet_worker.fetch_debugpy', staging, debugpyVersion] },
      (said) => pythonErrors.debugpyNotInstalled(executable, debugpyVersion, said),
    );
    if (request.cancellation.isCancelled) return false;
    for (const name of await readdir(staging))
      await replace(path.join(staging, name), path.join(folder, name));
    return true;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export interface RequirementsRequest extends Omit<DebugpyRequest, 'storage'> {
  /** The absolute path of a requirements.txt. */
  readonly requirements: string;
  /** The absolute path of a new environment; undefined: the packages are installed for the interpreter. */
  readonly environment: string | undefined;
}

/** Resolves to false on cancellation. Rejects with `python/not-found` or `python/packages-not-installed`. */
export async function installRequirements(request: RequirementsRequest): Promise<boolean> {
  const { requirements, environment } = request;
  const into = environment === undefined ? [] : [environment];
  const isNew = environment !== undefined && !(await pathExists(environment));
  let isDone = false;
  try {
    await runInstaller(
      {
        ...request,
        cwd: path.dirname(requirements),
        args: ['agentjet_worker.requirements', requirements, ...into],
      },
      (said) => pythonErrors.packagesNotInstalled(requirements, said),
    );
    isDone = !request.cancellation.isCancelled;
  } finally {
    // Runs would use an environment without the packages.
    if (isNew && !isDone) await rm(environment, { recursive: true, force: true, maxRetries: 5 });
  }
  return isDone;
}

interface InstallerRun extends Pick<
  DebugpyRequest,
  'executable' | 'workerFolder' | 'cancellation' | 'onLine'
> {
  readonly cwd: string;
  /** The module and its arguments. */
  readonly args: readonly string[];
}

/** @param failure makes an error of the last lines of output */
async function runInstaller(
  { executable, workerFolder, cancellation, onLine, cwd, args }: InstallerRun,
  failure: (said: readonly string[]) => CodedError,
): Promise<void> {
  const interpreter = { executable, environment: await environmentOf(executable, localFiles) };
  const tree = await spawnTree({
    command: executable,
    args: ['-m', ...args],
    cwd,
    env: childEnvironment(process.env, [{ PYTHONPATH: workerFolder }], process.platform),
    stdio: ['ignore', 'pipe', 'pipe'],
  }).catch((error: unknown) => {
    throw pythonErrors.notFound(interpreter, error);
  });
  const cancelling = cancellation.onCancelled(() => tree.killTree());
  const said: string[] = [];
  const ended = [tree.child.stdout, tree.child.stderr].map((stream) =>
    eachLine(stream, (line) => {
      said.push(line);
      onLine(line);
    }),
  );
  const { code } = await tree.exited;
  cancelling.dispose();
  await Promise.all(ended);
  if (code !== 0 && !cancellation.isCancelled) {
    const errors = said.filter((line) => /^\s*error\b/i.test(line));
    throw failure((errors.length > 0 ? errors : said).slice(-linesInError));
  }
}

async function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): Promise<void> {
  if (stream === null) return;
  const splitter = new LineSplitter();
  stream.setEncoding('utf8');
  for await (const text of stream) splitter.push(String(text)).forEach(take);
}

async function replace(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
}
