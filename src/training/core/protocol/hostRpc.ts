/** Requests to a GPU host and their results. Runs belong to the host, not to a connection. */
import * as z from 'zod/mini';
import {
  checkpoint,
  effectiveConfig,
  gpuSample,
  insidePath,
  runId,
  runOrder,
  runRecord,
  sha256,
  type RunEvent,
  type RunStage,
} from './runs.ts';
import { rpcErrorReport, rpcId } from './wire.ts';

export const snapshotEntry = z.union([
  z.object({
    path: insidePath,
    sha256,
    bytes: z.int().check(z.nonnegative()),
    executable: z.optional(z.literal(true)),
  }),
  /** A symbolic link; its target is relative and stays inside the root. */
  z.object({ path: insidePath, link: insidePath }),
]);
export type SnapshotEntry = z.infer<typeof snapshotEntry>;

/**
 * All files and links, sorted by path (UTF-16 code units), without folders. The id of a snapshot is the SHA-256 of
 * the canonical JSON of its manifest (`base/canonicalJson`).
 */
export const snapshotManifest = z.array(snapshotEntry);
export type SnapshotManifest = z.infer<typeof snapshotManifest>;

/** The maximum number of entries in one request. */
export const entriesPerRequest = 2_000;

/** Limits of packs, which carry many small contents in one transfer. */
export const packLimits = {
  /** Bytes of a pack, headers included. */
  bytes: 8 * 1024 * 1024,
  /** Bytes of one content. */
  content: 1024 * 1024,
} as const;

/** Bytes before each content of a pack: 32 of its SHA-256, then 4 of its length, big-endian. */
export const packHeaderBytes = 36;

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

interface MethodRules {
  /** The required scope: see {@link scopeOf}. */
  readonly scope: Scope;
  /**
   * The treatment of a request that had no answer when the connection was lost. `again`: send it on the next connection,
   * because it only reads or can be repeated. `lost`: reject it, because its outcome is unknown. `bound`: reject it,
   * because it belonged to that connection.
   */
  readonly retry: 'again' | 'lost' | 'bound';
}

/** Rules by method. */
export const methodRules: Readonly<Record<HostMethod, MethodRules>> = {
  hello: { scope: 'view', retry: 'bound' },
  status: { scope: 'view', retry: 'again' },
  // It reads files anywhere on the host that a config names.
  preflight: { scope: 'start', retry: 'again' },
  'sync.lacks': { scope: 'start', retry: 'again' },
  'sync.put': { scope: 'start', retry: 'bound' },
  'sync.pack': { scope: 'start', retry: 'bound' },
  'sync.manifest': { scope: 'start', retry: 'lost' },
  'sync.has': { scope: 'start', retry: 'again' },
  'sync.entries': { scope: 'start', retry: 'again' },
  'sync.get': { scope: 'start', retry: 'bound' },
  'run.start': { scope: 'start', retry: 'again' },
  'run.list': { scope: 'view', retry: 'again' },
  'run.get': { scope: 'view', retry: 'again' },
  'run.cancel': { scope: 'cancel', retry: 'again' },
  'run.remove': { scope: 'cancel', retry: 'lost' },
  'run.follow': { scope: 'view', retry: 'bound' },
  'run.unfollow': { scope: 'view', retry: 'bound' },
  'run.gpus': { scope: 'view', retry: 'again' },
  'run.config': { scope: 'view', retry: 'again' },
  'run.watch': { scope: 'view', retry: 'again' },
  'checkpoint.list': { scope: 'view', retry: 'again' },
  'file.list': { scope: 'view', retry: 'again' },
  'file.get': { scope: 'view', retry: 'bound' },
  'file.sum': { scope: 'view', retry: 'again' },
  'transfer.stop': { scope: 'view', retry: 'bound' },
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
  if ((method !== 'file.get' && method !== 'file.sum') || of === 'rollouts') return methodRules[method].scope;
  if (typeof path !== 'string') return 'start';
  const starts = ['', ...(stagesOf(run) ?? []).map(({ folder }) => `${folder}/`)];
  const isResult = starts.some((start) => path.startsWith(start) && results.test(path.slice(start.length)));
  return isResult ? methodRules[method].scope : 'start';
}

export const gpu = z.object({
  index: count,
  name: z.string(),
  /** In MiB; null if not reported (`--gpus N`). */
  memory: z.nullable(z.number()),
  used: z.nullable(z.number()),
  /** In percent. */
  load: z.nullable(z.number()),
  /** The run that uses it. */
  run: z.nullable(z.string()),
});
export type Gpu = z.infer<typeof gpu>;

/** Bytes. */
const room = z.object({ total: z.number(), free: z.number() });

const hostStatus = z.object({
  now: z.number(),
  gpus: z.array(gpu),
  cpus: z.number(),
  /** The load average of a minute. */
  load: z.number(),
  memory: room,
  /** `code`: bytes of uploaded code; null or absent if the host does not report it or has not measured it yet. */
  disk: z.extend(room, { code: z.optional(z.nullable(z.number())) }),
  launchers: z.array(
    z.object({ name: z.string(), version: z.nullable(z.string()), problem: z.nullable(z.string()) }),
  ),
  queued: count,
  running: count,
});
export type HostStatus = z.infer<typeof hostStatus>;

const finding = z.object({
  id: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  hint: z.optional(z.string()),
  /** The config key that it is about, dotted. */
  key: z.optional(z.string()),
});
export type Finding = Readonly<z.infer<typeof finding>>;

const fileEntry = z.object({ path: z.string(), bytes: count, modifiedAt: z.number() });
export type FileEntry = Readonly<z.infer<typeof fileEntry>>;

const nothing = z.null();
const transfer = z.object({ transfer: rpcId });
const opened = z.object({ transfer: rpcId, bytes: count });

/** Results by method. A client refuses others as `host/bad-answer`, because the host can be another program. */
export const hostResults = {
  hello: z.object({
    version: count,
    /** `id`: random, in the data folder. It identifies the host at any address. */
    host: z.object({ id: z.string(), name: z.string(), version: z.string() }),
    scopes: z.array(z.enum(scopes)),
    /** The name of the token. */
    as: z.string(),
  }),
  status: hostStatus,
  preflight: z.array(finding),
  'sync.lacks': z.object({ contents: z.array(sha256) }),
  'sync.put': transfer,
  'sync.pack': transfer,
  'sync.manifest': z.object({ kept: z.boolean() }),
  'sync.has': z.object({ has: z.boolean() }),
  'sync.entries': z.object({ entries: snapshotManifest, total: count }),
  'sync.get': opened,
  'run.start': runRecord,
  'run.list': z.array(runRecord),
  'run.get': runRecord,
  'run.cancel': runRecord,
  'run.remove': nothing,
  'run.follow': nothing,
  'run.unfollow': nothing,
  'run.gpus': z.array(gpuSample),
  'run.config': effectiveConfig,
  'run.watch': nothing,
  'checkpoint.list': z.array(checkpoint),
  'file.list': z.object({ files: z.array(fileEntry), total: count }),
  'file.get': opened,
  'file.sum': z.object({ sha256, bytes: count }),
  'transfer.stop': nothing,
} as const;

type ReadonlyItems<T> = T extends (infer Item)[] ? readonly Item[] : T;
export type HostResults = {
  readonly [M in HostMethod]: ReadonlyItems<z.infer<(typeof hostResults)[M]>>;
};

/** Notices of the host, except `run.events`, whose events are decoded one by one: see `wire/follows`. */
export const hostNotices = {
  'run.changed': z.object({ run: runRecord }),
  /** The run was removed. */
  'run.removed': z.object({ run: runId }),
  /** The events of a run cannot be read any more. `error` is the reason. */
  'follow.ended': z.object({ run: runId, error: rpcErrorReport }),
  /** A transfer has ended, with an error if it failed. */
  'transfer.ended': z.object({ transfer: rpcId, error: z.optional(rpcErrorReport) }),
} as const;

/** Parameters of notices. */
export type HostNotices = {
  readonly [N in keyof typeof hostNotices]: z.infer<(typeof hostNotices)[N]>;
} & {
  /** Events in order without gaps, except for log lines of sources that were not requested. */
  readonly 'run.events': { readonly run: string; readonly events: readonly RunEvent[] };
};
export type HostNotice = keyof HostNotices;

/** The bytes before and after the JSON of one run's events in a `run.events` message. Commas separate the events. */
export interface EventsFrame {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** @param run never needs quoting: see `runId` */
export function eventsFrame(run: string): EventsFrame {
  return {
    before: new TextEncoder().encode(
      `{"jsonrpc":"2.0","method":"run.events","params":{"run":"${run}","events":[`,
    ),
    after: new TextEncoder().encode(']}}'),
  };
}

/** Returns the events of a message. */
export function eventsIn(message: string): readonly RunEvent[] {
  const { params } = JSON.parse(message) as { readonly params: HostNotices['run.events'] };
  return params.events;
}
