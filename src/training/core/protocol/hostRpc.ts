/** Requests to a GPU host and their results. Runs belong to the host, not to a connection. */
import {
  type EffectiveConfig,
  type GpuSample,
  insidePath,
  runId,
  runOrder,
  sha256,
  type Checkpoint,
  type RunEvent,
  type RunRecord,
  type RunStage,
} from './runs.ts';
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';
import { entriesPerRequest, packLimits, snapshotEntry, type SnapshotEntry } from './sync.ts';

const count = z.int().check(z.nonnegative());
const text = (most: number) => z.string().check(z.maxLength(most));

/** A key from the client, so that the host recognizes a repeated request. */
export const requestKey = z.string().check(z.regex(/^[0-9a-f-]{16,64}$/));

/** The permissions of a token. `start` and `cancel` do not include each other. Both include `view`. */
export const scopes = ['view', 'start', 'cancel'] as const;
export type Scope = (typeof scopes)[number];

/** The root of a path: the job's folder (default), or the rollout logs in the launcher's folder. */
const filesOf = z.optional(z.enum(['job', 'rollouts']));
export type FilesOf = z.infer<typeof filesOf>;

/** Parameters by method. */
export const hostMethods = {
  /** The first request. Any other one before it ends the connection. */
  hello: z.object({
    versions: z.object({ min: count, max: count }),
    client: z.object({ name: text(100), version: text(50) }),
  }),
  /** The current state of the machine. */
  status: z.object({}),
  /** Checks an order without starting it. The snapshot need not be uploaded yet. */
  preflight: z.object({ order: runOrder, configText: text(1024 * 1024) }),

  /** Returns which of these contents the host does not have. */
  'sync.lacks': z.object({ contents: z.array(sha256).check(z.maxLength(entriesPerRequest)) }),
  /** Opens a transfer to the host, which checks the hash at the end. `transfer.ended` reports the result. */
  'sync.put': z.object({ sha256, bytes: count }),
  /** The same for many small contents at once, each after its header: see `sync/pack`. */
  'sync.pack': z.object({ bytes: count.check(z.maximum(packLimits.bytes)) }),
  /** Takes a page of a manifest. With the last one (`done`), the host checks and stores it. */
  'sync.manifest': z.object({
    snapshot: sha256,
    from: count,
    entries: z.array(snapshotEntry).check(z.maxLength(entriesPerRequest)),
    done: z.boolean(),
  }),
  'sync.has': z.object({ snapshot: sha256 }),
  /** A page of a stored manifest, to restore the code of a run. */
  'sync.entries': z.object({ snapshot: sha256, from: count }),
  /** Opens a transfer of one content from the host. */
  'sync.get': z.object({ sha256, offset: count }),

  /** Starts a run. With a key that was used before, it starts nothing and returns that run. */
  'run.start': z.object({ order: runOrder, key: requestKey }),
  'run.list': z.object({}),
  'run.get': z.object({ run: runId }),
  'run.cancel': z.object({ run: runId }),
  /** Deletes an ended run, and its checkpoints only with `checkpoints`. */
  'run.remove': z.object({ run: runId, checkpoints: z.boolean() }),
  /** Subscribes to `run.events` after event `after`. `sources` limits log lines to these sources. */
  'run.follow': z.object({
    run: runId,
    after: count,
    sources: z.optional(z.array(text(200)).check(z.maxLength(100))),
  }),
  'run.unfollow': z.object({ run: runId }),
  /** The GPU load of the run. */
  'run.gpus': z.object({ run: runId }),
  /** The effective config of the run. */
  'run.config': z.object({ run: runId }),
  /** Subscribes to `run.changed` and `run.removed` of all runs. */
  'run.watch': z.object({}),

  'checkpoint.list': z.object({ run: runId }),
  /** Files below a path, without links. An empty `path` means all. */
  'file.list': z.object({ run: runId, of: filesOf, path: z.union([z.literal(''), insidePath]), from: count }),
  /** Opens a transfer of `length` bytes of a file from `offset`. */
  'file.get': z.object({ run: runId, of: filesOf, path: insidePath, offset: count, length: count }),
  /** The SHA-256 of a file. */
  'file.sum': z.object({ run: runId, of: filesOf, path: insidePath }),
  'transfer.stop': z.object({ transfer: count }),
} as const;

export type HostMethod = keyof typeof hostMethods;
export type HostParams<M extends HostMethod> = z.infer<(typeof hostMethods)[M]>;

/** The required scope by method: see {@link scopeOf}. */
export const methodScopes: Readonly<Record<HostMethod, Scope>> = {
  hello: 'view',
  status: 'view',
  // It reads files anywhere on the host that a config names.
  preflight: 'start',
  'sync.lacks': 'start',
  'sync.put': 'start',
  'sync.pack': 'start',
  'sync.manifest': 'start',
  'sync.has': 'start',
  'sync.entries': 'start',
  'sync.get': 'start',
  'run.start': 'start',
  'run.list': 'view',
  'run.get': 'view',
  'run.cancel': 'cancel',
  'run.remove': 'cancel',
  'run.follow': 'view',
  'run.unfollow': 'view',
  'run.gpus': 'view',
  'run.config': 'view',
  'run.watch': 'view',
  'checkpoint.list': 'view',
  'file.list': 'view',
  'file.get': 'view',
  'file.sum': 'view',
  'transfer.stop': 'view',
};

/**
 * Paths of checkpoints and rollouts. Other files in a job's folder, such as logs and configs, can contain secrets
 * that events do not.
 */
const results = /^(?:global_step_\d+|buffer)\//;

/**
 * Returns the scope that a request needs.
 *
 * @param stagesOf returns the known stages of a run
 */
export function scopeOf(
  method: HostMethod,
  { run, of, path }: Readonly<Record<string, unknown>>,
  stagesOf: (run: unknown) => readonly RunStage[] | undefined = () => [],
): Scope {
  if ((method !== 'file.get' && method !== 'file.sum') || of === 'rollouts') return methodScopes[method];
  if (typeof path !== 'string') return 'start';
  const starts = ['', ...(stagesOf(run) ?? []).map(({ folder }) => `${folder}/`)];
  const isResult = starts.some((start) => path.startsWith(start) && results.test(path.slice(start.length)));
  return isResult ? methodScopes[method] : 'start';
}

export interface Gpu {
  readonly index: number;
  readonly name: string;
  /** In MiB; null if not reported (`--gpus N`). */
  readonly memory: number | null;
  readonly used: number | null;
  /** In percent. */
  readonly load: number | null;
  /** The run that uses it. */
  readonly run: string | null;
}

export interface HostStatus {
  readonly now: number;
  readonly gpus: readonly Gpu[];
  readonly cpus: number;
  /** The load average of a minute. */
  readonly load: number;
  /** Bytes. */
  readonly memory: { readonly total: number; readonly free: number };
  readonly disk: {
    readonly total: number;
    readonly free: number;
    /** Bytes of uploaded code; null or absent if the host does not report it or has not measured it yet. */
    readonly code?: number | null | undefined;
  };
  readonly launchers: readonly {
    readonly name: string;
    readonly version: string | null;
    readonly problem: string | null;
  }[];
  readonly queued: number;
  readonly running: number;
}

export interface Finding {
  readonly id: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly hint?: string | undefined;
  /** The config key that it is about, dotted. */
  readonly key?: string | undefined;
}

export interface FileEntry {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

export interface HostResults {
  readonly hello: {
    readonly version: number;
    /** A random id in the data folder. It identifies the host at any address. */
    readonly host: { readonly id: string; readonly name: string; readonly version: string };
    readonly scopes: readonly Scope[];
    /** The name of the token. */
    readonly as: string;
  };
  readonly status: HostStatus;
  readonly preflight: readonly Finding[];
  readonly 'sync.lacks': { readonly contents: readonly string[] };
  readonly 'sync.put': { readonly transfer: number };
  readonly 'sync.pack': { readonly transfer: number };
  readonly 'sync.manifest': { readonly kept: boolean };
  readonly 'sync.has': { readonly has: boolean };
  readonly 'sync.entries': { readonly entries: readonly SnapshotEntry[]; readonly total: number };
  readonly 'sync.get': { readonly transfer: number; readonly bytes: number };
  readonly 'run.start': RunRecord;
  readonly 'run.list': readonly RunRecord[];
  readonly 'run.get': RunRecord;
  readonly 'run.cancel': RunRecord;
  readonly 'run.remove': null;
  readonly 'run.follow': null;
  readonly 'run.unfollow': null;
  readonly 'run.gpus': readonly GpuSample[];
  readonly 'run.config': EffectiveConfig;
  readonly 'run.watch': null;
  readonly 'checkpoint.list': readonly Checkpoint[];
  readonly 'file.list': { readonly files: readonly FileEntry[]; readonly total: number };
  readonly 'file.get': { readonly transfer: number; readonly bytes: number };
  readonly 'file.sum': { readonly sha256: string; readonly bytes: number };
  readonly 'transfer.stop': null;
}

/** Notifications of the host. */
export interface HostNotices {
  /** Events in order without gaps, except for log lines of sources that were not requested. */
  readonly 'run.events': { readonly run: string; readonly events: readonly RunEvent[] };
  readonly 'run.changed': { readonly run: RunRecord };
  /** The run was removed. */
  readonly 'run.removed': { readonly run: string };
  /** The events of a run cannot be read any more. `error` is the reason. */
  readonly 'follow.ended': { readonly run: string; readonly error: ErrorReport };
  /** A transfer has ended, with an error if it failed. */
  readonly 'transfer.ended': { readonly transfer: number; readonly error?: ErrorReport | undefined };
}
export type HostNotice = keyof HostNotices;
