import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { dialectOf } from '../../../configs/core/dialect.ts';
import type { Environment } from '../../../configs/core/interpolation/host.ts';
import type { LauncherName, RunOrder, RunRecord } from '../../core/protocol/runs.ts';
import type { HostConnection } from '../../core/contracts.ts';
import { locateFindings, type LocatedFinding, unsentFileFindings } from '../../core/dispatch/located.ts';
import { readTraining, type Training } from '../../core/launch/training.ts';
import { checkLimit, defaultSyncLimit, previewOf, withFiles, type Preview } from '../../core/sync/tree.ts';
import { localFiles } from '../../../base/node/files.ts';
import { bridgeTo } from './bridge.ts';
import { namedPathFindings } from './namedPaths.ts';
import { sentText } from './sync/rebuild.ts';
import { readTree } from './sync/readTree.ts';
import { syncTree, type SyncProgress } from './sync/syncTree.ts';

/** What a user sends to a host. */
export interface DispatchRequest {
  /** Absolute. */
  readonly config: string;
  /** The folder that is sent, absolute; the config is inside, and the run's working folder is its copy. */
  readonly root: string;
  readonly launcher: LauncherName;
  readonly backbone: RunOrder['backbone'];
  /** The launcher's own. */
  readonly flags: readonly string[];
  /** Variables for the run alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: as many as the config trains on. */
  readonly gpus?: number | undefined;
  /** Absent: the config's name. */
  readonly name?: string | undefined;
  /** Keeps what was read of files from one sync to the next, outside the root; null: nothing is kept. */
  readonly cache: string | null;
  /** For what the config takes from the environment: that of this machine, as far as it is trusted. */
  readonly environment: Environment;
  /** How many bytes at most; absent: {@link defaultSyncLimit}. */
  readonly limit?: number | undefined;
}

/** What is about to happen, known before anything was sent but the config. */
export interface DispatchPlan {
  readonly order: RunOrder;
  /** The config as it was read. */
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
  /** Whether to go on; told of every finding, errors included. */
  readonly confirm: (plan: DispatchPlan) => Promise<boolean>;
  /**
   * How many GPUs, where neither the request nor the config says; undefined: nothing is to be started. Absent: none, of
   * which the host warns.
   */
  readonly askGpus?: () => Promise<number | undefined>;
  readonly onStep?: (step: DispatchStep) => void;
}

/** Stands for a snapshot that is not made yet. */
const noSnapshot = '0'.repeat(64);

/**
 * Reads the folder, has the host check the order, sends what the host lacks and starts the run. Resolves to undefined where
 * `confirm` or `askGpus` says no; rejects with a CodedError. A run that was started goes on, whatever becomes of the connection.
 */
export async function dispatchRun(
  connection: HostConnection,
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
  const checked = await connection.ask(
    'preflight',
    { order, configText: bridge?.text ?? text },
    cancellation,
  );
  const findings = [
    ...(await namedPathFindings(training, folder)),
    ...checked,
    ...(bridge?.findings ?? []),
    ...unsentFileFindings(folder.leftOut),
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

/** The order, but for its snapshot, and the config; undefined: the user was asked for what it lacks, and left. */
async function orderOf(
  request: DispatchRequest,
  askGpus: DispatchOptions['askGpus'] = () => Promise.resolve(0),
): Promise<{ order: RunOrder; text: string; training: Training } | undefined> {
  const { config, root, launcher, backbone, flags, env, environment } = request;
  const inside = path.relative(root, config).split(path.sep).join('/');
  if (inside === '' || inside.startsWith('../') || path.isAbsolute(inside)) {
    throw dispatchErrors.outside(config, root);
  }
  const text = await readFile(config, 'utf8').catch((cause: unknown) => {
    throw dispatchErrors.unreadable(config, cause);
  });
  const training = await readTraining({
    file: config,
    text,
    cwd: root,
    backbone,
    files: localFiles,
    paths: path,
    environment,
  });
  const isElsewhere = launcher === 'ray' || (training.nodes.value ?? 1) > 1;
  const gpus = request.gpus ?? (isElsewhere ? 0 : (training.gpusPerNode.value ?? (await askGpus())));
  if (gpus === undefined) return undefined;
  const name = request.name ?? path.basename(config).replace(/\.ya?ml$/, '');
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

/** The launcher that a config is made for: AgentJet's own for its dialect, else Trinity's command. */
export async function launcherFor(config: string): Promise<'ajet' | 'trinity'> {
  const text = await readFile(config, 'utf8').catch((cause: unknown) => {
    throw dispatchErrors.unreadable(config, cause);
  });
  return dialectOf(text)?.id === 'trinity' ? 'trinity' : 'ajet';
}

/** How an earlier run goes on. */
export interface ResumeRequest {
  readonly step: number;
  /** That the step is of. */
  readonly stage?: string | undefined;
  readonly as: 'resume' | 'fork';
  readonly env: Readonly<Record<string, string>>;
}

export interface ResumeOptions {
  readonly cancellation: CancellationToken;
  /** Whether to go on; told of what the host finds, at the lines of the config as it was sent. */
  readonly confirm: (findings: readonly LocatedFinding[]) => Promise<boolean>;
}

/** Of a config, as the wire takes it. */
const mostOfConfig = 1024 * 1024;

/**
 * Has an earlier run go on from a checkpoint, with the code that it ran with, once the host has checked that as it does before
 * a dispatch. Values of its variables were not kept, so they are given anew. Resolves to undefined where `confirm` says no.
 */
export async function resumeRun(
  connection: HostConnection,
  record: RunRecord,
  { step, stage, as, env }: ResumeRequest,
  { cancellation, confirm }: ResumeOptions,
): Promise<RunRecord | undefined> {
  const missing = record.env.filter((name) => env[name] === undefined);
  if (missing.length > 0) throw dispatchErrors.lacksVariables(missing);
  const { name, launcher, backbone, config, snapshot, flags, gpus } = record;
  const from = { run: record.id, step, as, ...(stage !== undefined && { stage }) };
  const order = { name, launcher, backbone, config, snapshot, flags, gpus, env, from };
  const text = await sentText(connection, snapshot, config, { most: mostOfConfig, cancellation });
  if (text === undefined) throw dispatchErrors.noConfig(config);
  const found = await connection.ask('preflight', { order, configText: text }, cancellation);
  // What is restored has been told by who asks.
  const findings = locateFindings(
    text,
    found.filter(({ id }) => id !== 'going-on'),
  );
  if (!(await confirm(findings))) return undefined;
  return connection.ask('run.start', { order, key: randomUUID() }, cancellation);
}

const dispatchErrors = {
  outside: (config: string, root: string) =>
    new CodedError({
      code: 'dispatch/outside',
      message: `The config is not in ${root}, the folder that is sent.`,
      location: { file: config },
      hint: 'Send a folder that holds the config and the code that it names.',
    }),
  notSent: (config: string) =>
    new CodedError({
      code: 'dispatch/config-ignored',
      message: 'The config is among what is not sent: a rule of .gitignore or .agentjetignore leaves it out.',
      location: { file: config },
      hint: 'Add a line with `!` and its path to .agentjetignore.',
    }),
  unreadable: (config: string, cause: unknown) =>
    new CodedError(
      {
        code: 'dispatch/unreadable',
        message: `The config cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
        location: { file: config },
        hint: 'Save it, and see that its name is right.',
      },
      { cause },
    ),
  noConfig: (config: string) =>
    new CodedError({
      code: 'dispatch/no-config',
      message: `The config ${config} is not among the files that were sent for the earlier run, or has more than 1 MiB.`,
      hint: 'Send the folder again, as a new run.',
    }),
  lacksVariables: (names: readonly string[]) =>
    new CodedError({
      code: 'dispatch/variables',
      message: `The earlier run was given ${names.join(', ')}, whose values no host keeps.`,
      hint: `Set ${names.length === 1 ? 'it' : 'them'} in this environment and name ${names.length === 1 ? 'it' : 'them'} again.`,
    }),
};
