/** Requests to a GPU host and their results. Runs belong to the host, not to a connection. */
import * as z from 'zod/mini';
import { errorReport } from '../../../base/core/errorReport.ts';
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
import { rpcId } from './wire.ts';

const count = z.int().check(z.nonnegative());

const snapshotEntry = z.union([
  z.object({ path: insidePath, sha256, bytes: count, executable: z.optional(z.literal(true)) }),
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
const text = (most: number) => z.string().check(z.maxLength(most));
/** Headers of HTTP, by their names in lower case. */
const httpHeaders = z.record(text(128), text(8 * 1024));

/** Limits of calls of a Tinker server. */
export const tinkerLimits = {
  /** Bytes of a body that is in the message of the call itself. A larger one is a transfer. */
  inline: 64 * 1024,
  /** Bytes of a body. */
  body: 64 * 1024 * 1024,
} as const;
/** A body of at most {@link tinkerLimits.inline} bytes. */
const inlineBody = z
  .string()
  .check(z.maxLength(4 * Math.ceil(tinkerLimits.inline / 3)), z.regex(/^[\w+/]*=*$/));

/** A key from the client, so that the host recognizes a repeated request. */
const requestKey = z.string().check(z.regex(/^[0-9a-f-]{16,64}$/));
/** The permissions of a token. `start` and `cancel` do not include each other. Both include `view`. */
export const scopes = ['view', 'start', 'cancel'] as const;
export type Scope = (typeof scopes)[number];
/** The root of a path: the job's folder (default), or the rollout logs in the launcher's folder. */
const filesOf = z.optional(z.enum(['job', 'rollouts']));
export type FilesOf = z.infer<typeof filesOf>;

export const gpu = z.object({
  index: count,
  name: z.string(),
  /** In MiB; null if not reported (`--gpus N`). */
  memory: z.nullable(z.number()),
  used: z.nullable(z.number()),
  /** In percent. */
  load: z.nullable(z.number()),
  run: z.nullable(z.string()),
});
export type Gpu = z.infer<typeof gpu>;
/** Bytes. */
const room = z.object({ total: z.number(), free: z.number() });

/** A Tinker server that the owner of a host allows. */
const allowedTinker = z.object({ server: z.string(), models: z.array(z.string()), gpus: count });

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
    z.object({
      name: z.string(),
      version: z.nullable(z.string()),
      problem: z.nullable(z.string()),
      /** The releases of AgentJet and Trinity-RFT in its Python, as the key tables name them. */
      releases: z.optional(z.object({ ajet: z.optional(z.string()), trinity: z.optional(z.string()) })),
    }),
  ),
  tinker: z.optional(z.array(allowedTinker)),
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
const contents = z.array(sha256);
const fewContents = contents.check(z.maxLength(entriesPerRequest));
const packBytes = count.check(z.maximum(packLimits.bytes));

/**
 * The treatment of a request that had no answer when the connection was lost. `again`: send it on the next connection,
 * because it only reads or can be repeated. `lost`: reject it, because its outcome is unknown. `bound`: reject it,
 * because it belonged to that connection.
 */
type Retry = 'again' | 'lost' | 'bound';

/** A client refuses other results as `host/bad-answer`, as the host can be another program. `scope`: see {@link scopeOf}. */
function method<P extends z.ZodMiniType, R extends z.ZodMiniType>(
  scope: Scope,
  retry: Retry,
  params: P,
  result: R,
): { readonly scope: Scope; readonly retry: Retry; readonly params: P; readonly result: R } {
  return { scope, retry, params, result };
}

const ofRun = z.object({ run: runId });
const ofCall = z.extend(ofRun, { key: requestKey });
const ofFile = z.extend(ofRun, { of: filesOf, path: insidePath });

export const hostMethods = {
  /** The first request. Any other one before it ends the connection. */
  hello: method(
    'view',
    'bound',
    z.object({
      versions: z.object({ min: count, max: count }),
      client: z.object({ name: text(100), version: text(50) }),
    }),
    z.object({
      version: count,
      /** `id`: random, in the data folder. It identifies the host at any address. */
      host: z.object({ id: z.string(), name: z.string(), version: z.string() }),
      scopes: z.array(z.enum(scopes)),
      as: z.string(),
    }),
  ),
  status: method('view', 'again', z.object({}), hostStatus),
  /**
   * Checks an order without starting it. The snapshot need not be uploaded yet. It reads files anywhere on the host that
   * a config names.
   */
  preflight: method(
    'start',
    'again',
    z.object({ order: runOrder, configText: text(1024 * 1024) }),
    z.array(finding),
  ),

  'sync.lacks': method('start', 'again', z.object({ contents: fewContents }), z.object({ contents })),
  /** Opens a transfer to the host, which checks the hash at the end. `transfer.ended` reports the result. */
  'sync.put': method(
    'start',
    'bound',
    z.object({ sha256, bytes: count, resumes: z.optional(z.boolean()) }),
    // `held`: the bytes that the host has from a lost connection. The client sends those behind them.
    z.extend(transfer, { held: z.optional(count) }),
  ),
  /** The same for many small contents at once, each after its header: see `sync/pack`. */
  'sync.pack': method('start', 'bound', z.object({ bytes: packBytes }), transfer),
  /** Takes a page of a manifest. With the last one (`done`), the host checks and stores it. */
  'sync.manifest': method(
    'start',
    'lost',
    z.object({
      snapshot: sha256,
      from: count,
      entries: z.array(snapshotEntry).check(z.maxLength(entriesPerRequest)),
      done: z.boolean(),
    }),
    z.object({ kept: z.boolean() }),
  ),
  'sync.has': method('start', 'again', z.object({ snapshot: sha256 }), z.object({ has: z.boolean() })),
  /** A page of a stored manifest, to restore the code of a run. */
  'sync.entries': method(
    'start',
    'again',
    z.object({ snapshot: sha256, from: count }),
    z.object({ entries: snapshotManifest, total: count }),
  ),
  'sync.get': method('start', 'bound', z.object({ sha256, offset: count }), opened),

  /** Starts a run. With a key that was used before, it starts nothing and returns that run. */
  'run.start': method('start', 'again', z.object({ order: runOrder, key: requestKey }), runRecord),
  'run.list': method('view', 'again', z.object({}), z.array(runRecord)),
  'run.get': method('view', 'again', ofRun, runRecord),
  'run.cancel': method('cancel', 'again', ofRun, runRecord),
  /** Deletes an ended run, and its checkpoints only with `checkpoints`. */
  'run.remove': method('cancel', 'lost', z.object({ run: runId, checkpoints: z.boolean() }), nothing),
  /** Subscribes to `run.events` after event `after`. `sources` limits log lines to these sources. */
  'run.follow': method(
    'view',
    'bound',
    z.object({
      run: runId,
      after: count,
      sources: z.optional(z.array(text(200)).check(z.maxLength(100))),
    }),
    nothing,
  ),
  'run.unfollow': method('view', 'bound', ofRun, nothing),
  'run.gpus': method('view', 'again', ofRun, z.array(gpuSample)),
  'run.config': method('view', 'again', ofRun, effectiveConfig),
  /** Subscribes to `run.changed` and `run.removed` of all runs. */
  'run.watch': method('view', 'again', z.object({}), nothing),

  /**
   * Starts a Tinker server as a run, or returns the active run of the same server and model. Both can be left out if the
   * owner of the host allows one.
   */
  'tinker.start': method(
    'start',
    'again',
    z.object({ server: z.optional(text(64)), model: z.optional(text(1_024)), key: requestKey }),
    runRecord,
  ),
  /**
   * Sends an HTTP request to the Tinker server of a run. A key that was used before gets the response to that request. The
   * bodies are Base64. `sent`: the body was sent with `tinker.send`. `bytes`: the client reads the body with `tinker.receive`.
   */
  'tinker.call': method(
    'start',
    'again',
    z.extend(ofCall, {
      method: z.enum(['GET', 'POST', 'DELETE']),
      path: z.string().check(z.maxLength(2_048), z.regex(/^\/(?:openapi\.json|api\/v1\/[!-~]*)$/)),
      headers: httpHeaders,
      body: z.optional(inlineBody),
      sent: z.optional(z.literal(true)),
    }),
    z.object({
      status: z.int().check(z.minimum(200), z.maximum(599)),
      headers: httpHeaders,
      body: z.optional(inlineBody),
      bytes: z.optional(count),
    }),
  ),
  'tinker.send': method(
    'start',
    'bound',
    z.extend(ofCall, { bytes: count.check(z.maximum(tinkerLimits.body)) }),
    transfer,
  ),
  'tinker.receive': method('start', 'bound', z.extend(ofCall, { offset: count }), opened),
  /** Cancels a call, or forgets its response. */
  'tinker.stop': method('start', 'again', ofCall, nothing),

  'checkpoint.list': method('view', 'again', ofRun, z.array(checkpoint)),
  /** Files below a path, without links. An empty `path` means all. */
  'file.list': method(
    'view',
    'again',
    z.extend(ofFile, { path: z.union([z.literal(''), insidePath]), from: count }),
    z.object({ files: z.array(fileEntry), total: count }),
  ),
  /** Opens a transfer of `length` bytes of a file from `offset`. */
  'file.get': method('view', 'bound', z.extend(ofFile, { offset: count, length: count }), opened),
  'file.sum': method('view', 'again', ofFile, z.object({ sha256, bytes: count })),
  'transfer.stop': method('view', 'bound', z.object({ transfer: count }), nothing),
} as const;

export type HostMethod = keyof typeof hostMethods;

/** Returns the limit of unanswered requests for a method. */
export function limitOf(method: string): 'pending' | 'calls' {
  return method === 'tinker.call' ? 'calls' : 'pending';
}
export type HostParams<M extends HostMethod> = z.infer<(typeof hostMethods)[M]['params']>;
type ReadonlyItems<T> = T extends (infer Item)[] ? readonly Item[] : T;
export type HostResults = {
  readonly [M in HostMethod]: ReadonlyItems<z.infer<(typeof hostMethods)[M]['result']>>;
};

/**
 * Paths of checkpoints and rollouts. Other files in a job's folder, such as logs and configs, can contain secrets, which
 * are removed from the events of a run.
 */
const results = /^(?:global_step_\d+|buffer)\//;

/** @param stagesOf returns the known stages of a run */
export function scopeOf(
  method: HostMethod,
  { run, of, path }: Readonly<Record<string, unknown>>,
  stagesOf: (run: unknown) => readonly RunStage[] | undefined = () => [],
): Scope {
  if ((method !== 'file.get' && method !== 'file.sum') || of === 'rollouts') return hostMethods[method].scope;
  if (typeof path !== 'string') return 'start';
  const starts = ['', ...(stagesOf(run) ?? []).map(({ folder }) => `${folder}/`)];
  const isResult = starts.some((start) => path.startsWith(start) && results.test(path.slice(start.length)));
  return isResult ? hostMethods[method].scope : 'start';
}

/** Notices of the host, except `run.events`, whose events are decoded one by one: see `wire/follows`. */
export const hostNotices = {
  'run.changed': z.object({ run: runRecord }),
  'run.removed': z.object({ run: runId }),
  /** The events of a run cannot be read any more. `error` is the reason. */
  'follow.ended': z.object({ run: runId, error: errorReport }),
  /** A transfer has ended, with an error if it failed. */
  'transfer.ended': z.object({ transfer: rpcId, error: z.optional(errorReport) }),
} as const;

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
  const before = `{"jsonrpc":"2.0","method":"run.events","params":{"run":"${run}","events":[`;
  const encoder = new TextEncoder();
  return { before: encoder.encode(before), after: encoder.encode(']}}') };
}

export function eventsIn(message: string): readonly RunEvent[] {
  const { params } = JSON.parse(message) as { readonly params: HostNotices['run.events'] };
  return params.events;
}
