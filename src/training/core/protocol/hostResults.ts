/** Schemas for the answers of a host, whose version may differ or which may be another program. */
import * as z from 'zod/mini';
import { effectiveConfig, gpuSample, checkpoint, runId, runRecord, sha256 } from './runs.ts';
import { rpcErrorReport, rpcId } from './wire.ts';
import { snapshotManifest } from './sync.ts';
import { scopes, type HostMethod, type HostNotice, type HostNotices, type HostResults } from './hostRpc.ts';

const count = z.int().check(z.nonnegative());
const nothing = z.null();
const transfer = z.object({ transfer: rpcId });
const opened = z.object({ transfer: rpcId, bytes: count });

const gpu = z.object({
  index: count,
  name: z.string(),
  memory: z.nullable(z.number()),
  used: z.nullable(z.number()),
  load: z.nullable(z.number()),
  run: z.nullable(z.string()),
});
const room = z.object({ total: z.number(), free: z.number() });

const finding = z.object({
  id: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  hint: z.optional(z.string()),
  key: z.optional(z.string()),
});

/** Schemas by method. An answer that does not match is refused as `host/bad-answer`. */
export const hostResults: { readonly [M in HostMethod]: z.ZodMiniType<HostResults[M]> } = {
  hello: z.object({
    version: count,
    host: z.object({ id: z.string(), name: z.string(), version: z.string() }),
    scopes: z.array(z.enum(scopes)),
    as: z.string(),
  }),
  status: z.object({
    now: z.number(),
    gpus: z.array(gpu),
    cpus: z.number(),
    load: z.number(),
    memory: room,
    disk: z.extend(room, { code: z.optional(z.nullable(z.number())) }),
    launchers: z.array(
      z.object({ name: z.string(), version: z.nullable(z.string()), problem: z.nullable(z.string()) }),
    ),
    queued: count,
    running: count,
  }),
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
  'file.list': z.object({
    files: z.array(z.object({ path: z.string(), bytes: count, modifiedAt: z.number() })),
    total: count,
  }),
  'file.get': opened,
  'file.sum': z.object({ sha256, bytes: count }),
  'transfer.stop': nothing,
};

/** Schemas of notices, except `run.events`, whose events are decoded one by one: see `wire/follows`. */
export const hostNotices: {
  readonly [N in Exclude<HostNotice, 'run.events'>]: z.ZodMiniType<HostNotices[N]>;
} = {
  'run.changed': z.object({ run: runRecord }),
  'run.removed': z.object({ run: runId }),
  'follow.ended': z.object({ run: runId, error: rpcErrorReport }),
  'transfer.ended': z.object({ transfer: rpcId, error: z.optional(rpcErrorReport) }),
};
