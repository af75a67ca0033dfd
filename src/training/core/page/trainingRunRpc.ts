/** What the editor tells the page of a training run, and what the page asks of the editor: messages both ways. */
import * as z from 'zod/mini';
import { gpuSample } from '../protocol/gpuSamples.ts';
import type { Gpu } from '../protocol/hostRpc.ts';
import { checkpoint, runEvent, runId, runRecord } from '../protocol/runs.ts';

const count = z.int().check(z.nonnegative());

const gpu = z.object({
  index: z.int(),
  name: z.string(),
  memory: z.nullable(z.number()),
  used: z.nullable(z.number()),
  load: z.nullable(z.number()),
  run: z.nullable(z.string()),
});

/** A run and what the page may offer of it. */
export const pageRun = z.object({
  /** The name of its host. */
  host: z.string(),
  record: runRecord,
  /** Runs before it in the queue; null: it does not wait, or that is not known. */
  ahead: z.nullable(count),
  /** What the token allows: to go on from a checkpoint, to end the run. */
  may: z.object({ start: z.boolean(), cancel: z.boolean() }),
  /** Whether there are rollouts to be opened as a trace. */
  rollouts: z.boolean(),
});
export type PageRun = z.infer<typeof pageRun>;

/** How a host is connected: `retryAt` is milliseconds since the epoch by the editor's clock. */
export const hostState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connecting'), attempt: count }),
  z.object({ kind: z.literal('connected') }),
  z.object({ kind: z.literal('waiting'), reason: z.string(), retryAt: z.number() }),
  z.object({ kind: z.literal('ended'), reason: z.string() }),
]);
export type HostState = z.infer<typeof hostState>;

/** A run on a host, by the host's name. */
const runRef = z.object({ host: z.string(), run: runId });
export type RunRef = Readonly<z.infer<typeof runRef>>;

/** To the page. */
export const runPageMessage = z.discriminatedUnion('type', [
  /**
   * All runs that the page shows from now on, its own first; sent again whenever a record changes. `awaited`: those that it
   * shows as soon as their hosts tell of them.
   */
  z.object({ type: z.literal('runs'), runs: z.array(pageRun), awaited: z.optional(z.array(runRef)) }),
  /** In order. Those that came before are left out by their numbers, log lines by their type. */
  z.object({ type: z.literal('events'), run: runId, events: z.array(runEvent) }),
  z.object({ type: z.literal('checkpoints'), run: runId, checkpoints: z.array(checkpoint) }),
  /** The GPUs of the run's host. `at` by the host's clock. */
  z.object({ type: z.literal('gpus'), run: runId, at: z.number(), gpus: z.array(gpu) }),
  /** What the GPUs of the run did before, as far as its host has noted it. */
  z.object({ type: z.literal('gpuHistory'), run: runId, samples: z.array(gpuSample) }),
  /** Why no events come of a run whose host is connected; null: they come again. */
  z.object({ type: z.literal('unheard'), run: runId, problem: z.nullable(z.string()) }),
  /** The host no longer has the run that the page is for. */
  z.object({ type: z.literal('gone'), host: z.string(), run: runId }),
  z.object({ type: z.literal('connection'), host: z.string(), state: hostState }),
]);
export type RunPageMessage =
  | Exclude<z.infer<typeof runPageMessage>, { type: 'gpus' }>
  | { readonly type: 'gpus'; readonly run: string; readonly at: number; readonly gpus: readonly Gpu[] };

const ofRun = { run: runId };
/** `stage`: the name of that which wrote it, where the training has several. */
const ofCheckpoint = { run: runId, step: count, stage: z.optional(z.string()) };

/** From the page. */
export const runPageRequest = z.discriminatedUnion('type', [
  /** The page listens. `compared`: what it showed beside its own run before it was loaded again. */
  z.object({ type: z.literal('ready'), compared: z.array(runRef) }),
  /** The user chooses another run to compare with. */
  z.object({ type: z.literal('addRun') }),
  z.object({ type: z.literal('removeRun'), ...ofRun }),
  z.object({ type: z.literal('cancel'), ...ofRun }),
  z.object({ type: z.literal('resume'), ...ofCheckpoint }),
  z.object({ type: z.literal('fork'), ...ofCheckpoint }),
  z.object({ type: z.literal('fetchCheckpoint'), ...ofCheckpoint }),
  z.object({ type: z.literal('showLog'), ...ofRun }),
  /** What it was started with. */
  z.object({ type: z.literal('showConfig'), ...ofRun }),
  /** What it and the page's own run were started with, side by side. */
  z.object({ type: z.literal('compareConfig'), ...ofRun }),
  z.object({ type: z.literal('openRollouts'), ...ofRun }),
  /** The command that starts the same run from a terminal. */
  z.object({ type: z.literal('copyCommand'), ...ofRun }),
]);
export type RunPageRequest = z.infer<typeof runPageRequest>;
