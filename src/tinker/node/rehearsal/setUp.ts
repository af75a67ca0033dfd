/** Sets up what a rehearsal needs: a Python environment with a Tinker server, and a tiny model. */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { agentjetCache, type CacheEnvironment } from '../../../base/node/cacheFolder.ts';
import { pathExists } from '../../../base/node/files.ts';
import { spawnTree } from '../../../base/node/process/processTree.ts';
import { SetUpReader, type SetUpProgress } from '../../core/rehearsal/setUpProgress.ts';
import { rehearsalEnvironment } from './environment.ts';
import { rehearsalErrors } from './errors.ts';
import { findRehearsalPython, pythonCandidates, pythonProbe, type FoundPython } from './python.ts';

export interface RehearsalPorts extends CacheEnvironment {
  /** The folder `rehearsal` of AgentJet's Python. */
  readonly scripts: string;
}

export interface RehearsalOptions {
  /** A path, or a name on PATH. Undefined: AgentJet searches for one. */
  readonly python?: string | undefined;
  /** The seed of the model's weights. Default: 0. */
  readonly seed?: number | undefined;
  /** Default: `rehearsal` in the cache of AgentJet. */
  readonly cache?: string | undefined;
}

/** An environment that is ready. */
export interface Rehearsal {
  /** The folder of the environment. */
  readonly environment: string;
  /** The Python of the environment. */
  readonly python: string;
  /** The folder of the model, which is also its name on the server. */
  readonly model: string;
  /** The folder for compiled code. */
  readonly compiled: string;
}

interface SetUpPlan {
  readonly base: FoundPython;
  readonly cache: string;
  readonly environment: string;
  readonly model: string;
}

/** Returns whether a set-up has to download packages, so that callers can ask before. Rejects with `rehearsal/no-python`. */
export async function needsDownload(ports: RehearsalPorts, options: RehearsalOptions = {}): Promise<boolean> {
  const { environment } = await planSetUp(ports, options);
  return !(await pathExists(path.join(environment, 'installed')));
}

/**
 * Sets up the environment and the model if they are missing. After a cancellation or a failure the next call continues
 * with the packages that are downloaded. Several processes can call it at once.
 *
 * Rejects with `rehearsal/…`, and with `rehearsal/cancelled` as soon as it is canceled.
 */
export async function ensureRehearsal(
  ports: RehearsalPorts,
  options: RehearsalOptions,
  onProgress: (progress: SetUpProgress) => void,
  cancellation: CancellationToken,
): Promise<Rehearsal> {
  const { base, cache, environment, model } = await planSetUp(ports, options);
  await mkdir(cache, { recursive: true }).catch((error: unknown) => {
    throw rehearsalErrors.noFolder(cache, error);
  });
  const script = path.join(ports.scripts, 'set_up.py');
  const tree = await spawnTree({
    command: base.executable,
    args: ['-E', '-s', '-B', script, environment, model, String(options.seed ?? 0)],
    cwd: cache,
    env: rehearsalEnvironment(ports, { PIP_USER: '0', PIP_NO_CACHE_DIR: '1' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const cancelling = cancellation.onCancelled(() => tree.killTree());
  const reader = new SetUpReader(onProgress);
  const { stdout, stderr } = tree.child;
  const failed = stderr === null ? '' : text(stderr);
  if (stdout !== null) for await (const line of createInterface({ input: stdout })) reader.push(line);
  await tree.exited;
  cancelling.dispose();
  if (cancellation.isCancelled) throw rehearsalErrors.cancelled();
  if (reader.python === undefined)
    throw rehearsalErrors.setUp(reader.failed ?? (await failed).trimEnd().split('\n'), cache);
  return { environment, python: reader.python, model, compiled: path.join(cache, 'compiled') };
}

async function planSetUp(
  ports: RehearsalPorts,
  { python, seed = 0, cache = path.join(agentjetCache(ports), 'rehearsal') }: RehearsalOptions,
): Promise<SetUpPlan> {
  const candidates = python === undefined ? await pythonCandidates(ports) : [python];
  const base = await findRehearsalPython(candidates, pythonProbe(rehearsalEnvironment(ports)));
  const nameOf = async (file: string, ...others: readonly string[]): Promise<string> => {
    const hash = createHash('sha256').update(await readFile(path.join(ports.scripts, file)));
    return hash.update(others.join(' ')).digest('hex').slice(0, 12);
  };
  // One environment for each version of Python: its packages are compiled for it.
  const minor = base.version.split('.').slice(0, 2).join('.');
  const environment = path.join(cache, await nameOf('requirements.txt', minor));
  const model = path.join(cache, `model-${await nameOf('make_model.py', String(seed))}`);
  return { base, cache, environment, model };
}
