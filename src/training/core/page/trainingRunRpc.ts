/** Messages between the editor and the page of a training run, both ways. */
import * as z from 'zod/mini';
import { trainingLimits, trainingUsage } from '../../../backbone/core/protocol/run.ts';
import { checkpoint, gpuSample, runEvent, runRecord, type Checkpoint } from '../protocol/runs.ts';
import { gpu } from '../protocol/hostRpc.ts';

const count = z.int().check(z.nonnegative());

/** The id of a run on its host, or the absolute folder of a training of this machine. */
const pageRunId = z.string();

/** The name of the trace of a step or validation, without its extension. */
const traceName = z.string().check(z.regex(/^(?:step|validation)-\d{1,9}$/));

/** The part of a run's record that the page shows. */
export const pageRecord = z.extend(
  z.omit(runRecord, { snapshot: true, flags: true, env: true, jobFolder: true, events: true }),
  { id: pageRunId },
);
export type PageRecord = z.infer<typeof pageRecord>;

const pageUsage = z.object({ ...trainingUsage.shape, tokens: z.number() });

/** The facts that only a training in a folder of this machine has. */
const localTraining = z.object({
  baseModel: z.string(),
  /** The base URL of its server, or its GPU host; absent: the URL of the environment. */
  server: z.optional(z.string()),
  loss: z.string(),
  rank: z.number(),
  /** The use and the limits of the training, and what it will have used at its end. */
  usage: z.optional(pageUsage),
  expected: z.optional(pageUsage),
  limits: z.optional(trainingLimits),
  /** The names of the traces of its steps and validations, in order of their steps. */
  traces: z.array(traceName),
});

/** A checkpoint on the page. In a training of this machine, `path` is the `tinker://` path of weights and optimizer. */
export type PageCheckpoint = Checkpoint;

export const pageRun = z.object({
  host: z.string(),
  record: pageRecord,
  local: z.optional(localTraining),
  /** The number of runs before it in the queue; null if it does not wait or the number is unknown. */
  ahead: z.nullable(count),
  /** The actions that the token allows: resume or fork (`start`), and end the run (`cancel`). */
  may: z.object({ start: z.boolean(), cancel: z.boolean() }),
  /** True if rollouts can be opened as a trace. */
  rollouts: z.boolean(),
});
export type PageRun = z.infer<typeof pageRun>;

/** The connection of a host. `retryAt` is in milliseconds since the epoch, by the editor's clock. */
export const hostState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connecting'), attempt: count }),
  z.object({ kind: z.literal('connected') }),
  z.object({ kind: z.literal('waiting'), reason: z.string(), retryAt: z.number() }),
  z.object({ kind: z.literal('ended'), reason: z.string() }),
]);
export type HostState = z.infer<typeof hostState>;
const runRef = z.object({ host: z.string(), run: pageRunId });
export type RunRef = Readonly<z.infer<typeof runRef>>;

/** To the page. */
export const runPageMessage = z.discriminatedUnion('type', [
  /**
   * All runs that the page shows, its own first. Sent again whenever a record changes. `awaited` are runs that are
   * shown once their hosts report them.
   */
  z.object({ type: z.literal('runs'), runs: z.array(pageRun), awaited: z.optional(z.array(runRef)) }),
  /** Events in order. The page drops repeated ones, by number or, for log lines, by type. */
  z.object({ type: z.literal('events'), run: pageRunId, events: z.array(runEvent) }),
  z.object({ type: z.literal('checkpoints'), run: pageRunId, checkpoints: z.array(checkpoint) }),
  /** The run begins again at an earlier step. Its events follow from the first. */
  z.object({ type: z.literal('rewound'), run: pageRunId }),
  /** The GPUs of the run's host. `at` is by the host's clock. */
  z.object({ type: z.literal('gpus'), run: pageRunId, at: z.number(), gpus: z.array(gpu) }),
  /** The GPU load of the run so far, as its host recorded it. */
  z.object({ type: z.literal('gpuHistory'), run: pageRunId, samples: z.array(gpuSample) }),
  /** The reason why a connected host sends no events of a run; null once they arrive again. */
  z.object({ type: z.literal('unheard'), run: pageRunId, problem: z.nullable(z.string()) }),
  /** The host no longer has the run that the page is for. */
  z.object({ type: z.literal('gone'), host: z.string(), run: pageRunId }),
  z.object({ type: z.literal('connection'), host: z.string(), state: hostState }),
]);
export type RunPageMessage = z.infer<typeof runPageMessage>;

/** From the page. */
export const runPageRequest = z.discriminatedUnion('type', [
  /** The page listens. `compared` are the runs that it showed next to its own before it was reloaded. */
  z.object({ type: z.literal('ready'), compared: z.array(runRef) }),
  z.object({ type: z.literal('addRun') }),
  /**
   * Actions for a run. `showConfig` shows the effective config, `compareConfig` compares it with that of the page's own
   * run. `copyCommand` copies the command that starts the same run from a terminal.
   */
  z.object({
    type: z.literal([
      'removeRun',
      'cancel',
      'showLog',
      'showConfig',
      'compareConfig',
      'openRollouts',
      'copyCommand',
    ]),
    run: pageRunId,
  }),
  /** Actions for a checkpoint. `stage` is the name of the stage that wrote it, if the training has several. */
  z.object({
    type: z.literal(['resume', 'fork', 'fetchCheckpoint']),
    run: pageRunId,
    step: count,
    stage: z.optional(z.string()),
  }),
  /**
   * Copies the `tinker://` path of a checkpoint: of its weights for sampling, or of weights and optimizer. Or debugs the
   * workflow with its weights, or publishes or deletes them on their server.
   */
  z.object({
    type: z.literal([
      'copySampler',
      'copyWeights',
      'debugCheckpoint',
      'publishCheckpoint',
      'deleteCheckpoint',
    ]),
    run: pageRunId,
    step: count,
  }),
  /** Opens the trace of a step or validation, or compares it with the first one of its kind. */
  z.object({ type: z.literal(['openTrace', 'compareTrace']), run: pageRunId, trace: traceName }),
]);
export type RunPageRequest = z.infer<typeof runPageRequest>;
