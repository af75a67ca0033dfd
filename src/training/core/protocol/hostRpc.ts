/** What clients ask of a GPU host, and what it answers. Runs belong to the host, never to a connection. */
import type { EffectiveConfig } from './effectiveConfig.ts';
import type { GpuSample } from './gpuSamples.ts';
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';
import {
  insidePath,
  runId,
  runOrder,
  sha256,
  type Checkpoint,
  type RunEvent,
  type RunRecord,
  type RunStage,
} from './runs.ts';
import { entriesPerRequest, packLimits, snapshotEntry, type SnapshotEntry } from './sync.ts';

const count = z.int().check(z.nonnegative());
const text = (most: number) => z.string().check(z.maxLength(most));

/** Made by a client for one request, so that the same one, sent again, is known to be the same. */
export const requestKey = z.string().check(z.regex(/^[0-9a-f-]{16,64}$/));

/** What a token lets its holder do: `start` and `cancel` do not include each other, both include `view`. */
export const scopes = ['view', 'start', 'cancel'] as const;
export type Scope = (typeof scopes)[number];

/** Where a path begins: in the job's folder, or in the launcher's, of which AgentJet's logs of rollouts are shown. Absent: the former. */
const filesOf = z.optional(z.enum(['job', 'rollouts']));
export type FilesOf = z.infer<typeof filesOf>;

/** Parameters by method. */
export const hostMethods = {
  /** The first request; every other one before it ends the connection. */
  hello: z.object({
    versions: z.object({ min: count, max: count }),
    client: z.object({ name: text(100), version: text(50) }),
  }),
  /** The machine now. */
  status: z.object({}),
  /** What would keep an order from running; nothing is started. The snapshot need not be there yet. */
  preflight: z.object({ order: runOrder, configText: text(1024 * 1024) }),

  /** Which of these contents the host lacks. */
  'sync.lacks': z.object({ contents: z.array(sha256).check(z.maxLength(entriesPerRequest)) }),
  /** Opens a transfer to the host, which checks the sum when it ends; `ended` is told by `transfer.ended`. */
  'sync.put': z.object({ sha256, bytes: count }),
  /** The same for many small contents at once, each behind its header: see `remote/sync/pack`. */
  'sync.pack': z.object({ bytes: count.check(z.maximum(packLimits.bytes)) }),
  /** Manifests come in pages; the last one (`done`) has the host check and keep them. */
  'sync.manifest': z.object({
    snapshot: sha256,
    from: count,
    entries: z.array(snapshotEntry).check(z.maxLength(entriesPerRequest)),
    done: z.boolean(),
  }),
  'sync.has': z.object({ snapshot: sha256 }),
  /** A page of a kept manifest, for who wants to rebuild what ran. */
  'sync.entries': z.object({ snapshot: sha256, from: count }),
  /** Opens a transfer of one content from the host. */
  'sync.get': z.object({ sha256, offset: count }),

  /** Under a key that its holder has used before it starts nothing, and answers with the run of then. */
  'run.start': z.object({ order: runOrder, key: requestKey }),
  'run.list': z.object({}),
  'run.get': z.object({ run: runId }),
  'run.cancel': z.object({ run: runId }),
  /** Takes the files of an ended run away, its checkpoints with `checkpoints` only. */
  'run.remove': z.object({ run: runId, checkpoints: z.boolean() }),
  /** From now on `run.events` with everything after event `after`; of log lines only those of `sources`, if named. */
  'run.follow': z.object({
    run: runId,
    after: count,
    sources: z.optional(z.array(text(200)).check(z.maxLength(100))),
  }),
  'run.unfollow': z.object({ run: runId }),
  /** What its GPUs did while it went on. */
  'run.gpus': z.object({ run: runId }),
  /** The config that it was started with. */
  'run.config': z.object({ run: runId }),
  /** From now on `run.changed` whenever the record of any run changes, `run.removed` when one is no more. */
  'run.watch': z.object({}),

  'checkpoint.list': z.object({ run: runId }),
  /** Files below a path, links left out; `path` empty: all. */
  'file.list': z.object({ run: runId, of: filesOf, path: z.union([z.literal(''), insidePath]), from: count }),
  /** Opens a transfer of a file from the host, `length` bytes from `offset` on. */
  'file.get': z.object({ run: runId, of: filesOf, path: insidePath, offset: count, length: count }),
  /** The SHA-256 of a file. */
  'file.sum': z.object({ run: runId, of: filesOf, path: insidePath }),
  'transfer.stop': z.object({ transfer: count }),
} as const;

export type HostMethod = keyof typeof hostMethods;
export type HostParams<M extends HostMethod> = z.infer<(typeof hostMethods)[M]>;

/** What a method's caller must be allowed to, see {@link scopeOf}. */
export const methodScopes: Readonly<Record<HostMethod, Scope>> = {
  hello: 'view',
  status: 'view',
  // It reads what a config names, wherever on the host that is.
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

/** Checkpoints and rollouts. What else is in a job's folder, logs and configs, can hold secrets that events do not tell. */
const results = /^(?:global_step_\d+|buffer)\//;

/**
 * What the caller of a method must be allowed to with these parameters.
 *
 * @param stagesOf what a run is known to have
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
  /** MiB; null where nothing tells (`--gpus N`). */
  readonly memory: number | null;
  readonly used: number | null;
  /** Per cent. */
  readonly load: number | null;
  /** The run that has it. */
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
    /** What the code of runs takes that was sent; null or absent: the host does not tell, or has not counted it yet. */
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
  /** The key of the config it is about, dotted. */
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
    /** Random, kept in the data folder: the same host at another address is the same host. */
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
  /** In order and without a gap but for the log lines of sources that were not asked for. */
  readonly 'run.events': { readonly run: string; readonly events: readonly RunEvent[] };
  readonly 'run.changed': { readonly run: RunRecord };
  /** The host knows it no more, whoever had it removed. */
  readonly 'run.removed': { readonly run: string };
  /** What comes of a run's events cannot be read any more; whoever followed it is told why. */
  readonly 'follow.ended': { readonly run: string; readonly error: ErrorReport };
  /** A transfer to the host is over: kept, or why not. */
  readonly 'transfer.ended': { readonly transfer: number; readonly error?: ErrorReport | undefined };
}
export type HostNotice = keyof HostNotices;
