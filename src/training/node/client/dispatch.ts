import { randomUUID } from 'node:crypto';
import { readRegular } from '../../../base/node/regularFile.ts';
import path from 'node:path';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { escapeControlCharacters, hasControlCharacters } from '../../../base/core/visibleText.ts';
import { dialectOf } from '../../../configs/core/dialect.ts';
import type { Environment } from '../../../configs/core/interpolation/host.ts';
import type { LauncherName, RunOrder, RunRecord } from '../../core/protocol/runs.ts';
import type { ClientConnection } from '../../core/wire/clientConnection.ts';
import { locateFindings, type LocatedFinding, unsentFileFindings } from '../../core/dispatch/located.ts';
import { readTraining, type Training } from '../../core/launch/training.ts';
import { checkLimit, defaultSyncLimit, previewOf, withFiles, type Preview } from '../../core/sync/tree.ts';
import { localFiles } from '../../../base/node/files.ts';
import { bridgeTo } from './bridge.ts';
import { namedPathFindings } from './namedPaths.ts';
import { readTree } from './sync/readTree.ts';
import { syncTree, type SyncProgress } from './sync/syncTree.ts';

export interface DispatchRequest {
  /** The absolute path of the config. */
  readonly config: string;
  /** The absolute folder to send, which contains the config. The working folder of the run is a copy of it. */
  readonly root: string;
  readonly launcher: LauncherName;
  readonly backbone: RunOrder['backbone'];
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By default the number in the config. */
  readonly gpus?: number | undefined;
  /** By default the name of the config. */
  readonly name?: string | undefined;
  /** The cache file for checksums of files, outside the root. Null: no cache. */
  readonly cache: string | null;
  /** The environment for interpolation in the config, as far as it is trusted. */
  readonly environment: Environment;
  /** The limit in bytes, by default {@link defaultSyncLimit}. */
  readonly limit?: number | undefined;
}

/** The plan of a dispatch. Only the config has been sent so far. */
export interface DispatchPlan {
  readonly order: RunOrder;
  readonly text: string;
  readonly preview: Preview;
  readonly findings: readonly LocatedFinding[];
}

export type DispatchStep =
  | { readonly kind: 'reading' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'sending'; readonly progress: SyncProgress }
  | { readonly kind: 'starting' };

export interface DispatchOptions {
  readonly cancellation: CancellationToken;
  /** Decides whether the dispatch continues. The plan has all findings, including errors. */
  readonly confirm: (plan: DispatchPlan) => Promise<boolean>;
  /**
   * Asks for the number of GPUs if neither the request nor the config has one. Undefined: cancel. By default 0, for
   * which the host warns.
   */
  readonly askGpus?: () => Promise<number | undefined>;
  readonly onStep?: (step: DispatchStep) => void;
}

/** A placeholder until the snapshot exists. */
const noSnapshot = '0'.repeat(64);

/**
 * Reads the folder, runs the preflight on the host, sends the missing files, and starts the run.
 * Resolves to undefined if `confirm` or `askGpus` declines. Rejects with a CodedError. A started run does not depend
 * on the connection.
 */
export async function dispatchRun(
  connection: ClientConnection,
  request: DispatchRequest,
  { cancellation, confirm, askGpus, onStep }: DispatchOptions,
): Promise<RunRecord | undefined> {
  onStep?.({ kind: 'reading' });
  const asked = await orderOf(request, askGpus);
  if (asked === undefined) return undefined;
  const { order, text, training } = asked;
  const folder = await readTree(request.root, { cache: request.cache, cancellation });
  if (!folder.files.some((file) => file.path === order.config)) throw dispatchErrors.notSent(request.config);
  const bridge = await bridgeTo({ ...request, text, tree: folder });
  const config = { path: order.config, content: Buffer.from(bridge?.text ?? text) };
  const tree = bridge === undefined ? folder : withFiles(folder, [...bridge.files, config]);
  const limit = { ...defaultSyncLimit, ...(request.limit !== undefined && { bytes: request.limit }) };
  checkLimit(tree, limit);
  onStep?.({ kind: 'checking' });
  const configText = bridge?.text ?? text;
  const checked = await connection.ask('preflight', { order, configText }, cancellation);
  const findings = [
    ...(await namedPathFindings(training, folder)),
    ...checked,
    ...(bridge?.findings ?? []),
    ...unsentFileFindings(folder.excluded),
  ];
  const plan = { order, text, preview: previewOf(tree, limit), findings: locateFindings(text, findings) };
  if (!(await confirm(plan))) return undefined;
  const snapshot = await syncTree(tree, connection, {
    cancellation,
    limit,
    onProgress: (progress) => onStep?.({ kind: 'sending', progress }),
  });
  onStep?.({ kind: 'starting' });
  return connection.ask('run.start', { order: { ...order, snapshot }, key: randomUUID() }, cancellation);
}

/** Returns the config and the order without its snapshot. Undefined: the user declined to give the number of GPUs. */
async function orderOf(
  request: DispatchRequest,
  askGpus: DispatchOptions['askGpus'] = () => Promise.resolve(0),
): Promise<{ order: RunOrder; text: string; training: Training } | undefined> {
  const { config, root, launcher, backbone, flags, env, environment } = request;
  const inside = path.relative(root, config).split(path.sep).join('/');
  if (inside === '' || inside.startsWith('../') || path.isAbsolute(inside)) {
    throw dispatchErrors.outside(config, root);
  }
  const name = request.name ?? path.basename(config).replace(/\.ya?ml$/, '');
  if (hasControlCharacters(name)) throw dispatchErrors.name(name);
  const text = await textOf(config);
  const training = await readTraining({
    ...{ file: config, text, cwd: root, backbone, environment },
    ...{ files: localFiles, paths: path },
  });
  const isElsewhere = launcher === 'ray' || (training.nodes.value ?? 1) > 1;
  const gpus = request.gpus ?? (isElsewhere ? 0 : (training.gpusPerNode.value ?? (await askGpus())));
  if (gpus === undefined) return undefined;
  const order = {
    name,
    launcher,
    snapshot: noSnapshot,
    config: inside,
    backbone,
    flags: [...flags],
    env,
    gpus,
  };
  return { order, text, training };
}

export async function launcherFor(config: string): Promise<'ajet' | 'trinity'> {
  return dialectOf(await textOf(config))?.id === 'trinity' ? 'trinity' : 'ajet';
}

async function textOf(config: string): Promise<string> {
  try {
    return (await readRegular(config)).toString();
  } catch (cause) {
    throw dispatchErrors.unreadable(config, cause);
  }
}

const dispatchErrors = {
  name: (name: string) =>
    new CodedError({
      code: 'dispatch/name',
      message: `The name of the run contains control or invisible characters: ${escapeControlCharacters(name)}.`,
      hint: 'Choose another name for the run, or rename the config.',
    }),
  outside: (config: string, root: string) =>
    new CodedError({
      code: 'dispatch/outside',
      message: `The config is not in the folder that is sent, ${root}.`,
      location: { file: config },
      hint: 'Send a folder that contains the config and its code.',
    }),
  notSent: (config: string) =>
    new CodedError({
      code: 'dispatch/config-ignored',
      message: 'The config is not sent, because .gitignore or .agentjetignore excludes it.',
      location: { file: config },
      hint: 'Add a line with `!` and its path to .agentjetignore.',
    }),
  unreadable: (config: string, cause: unknown) =>
    new CodedError({
      code: 'dispatch/unreadable',
      message: `Cannot read the config: ${messageOf(cause)}.`,
      location: { file: config },
      hint: 'Save the file, and check its name.',
      cause,
    }),
};
