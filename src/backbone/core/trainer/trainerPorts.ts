import * as z from 'zod/mini';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { lossNames, type TinkerSession, type TokenKind } from '../../../tinker/core/service.ts';
import { writerIdentity } from '../../../traces/core/records.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import type { RunFacts, RunPlan } from '../launcher/runPlan.ts';
import { trainingCheckpoint, trainingUsage, type TrainRequest } from '../protocol/run.ts';

/** The files in the folder of a training. */
export const trainingFiles = {
  state: 'training.json',
  metrics: 'metrics.jsonl',
  /** The folder of traces, one per step and validation. */
  traces: 'steps',
} as const;

/** A line of the metrics of a training, as JSON. */
export const metricsLine = z.object({
  kind: z.enum(['step', 'validation']),
  step: z.int().check(z.nonnegative()),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
  /** By the names of verl's metrics, where it has such a metric. */
  values: z.record(z.string(), z.number()),
});
export type MetricsLine = z.infer<typeof metricsLine>;

/** The state from which a training continues after its process has ended. Its folder keeps it. */
export const trainingState = z.object({
  format: z.literal(1),
  /** The config, absolute, and the working directory. */
  config: z.string(),
  cwd: z.string(),
  split: z.enum(['training', 'validation']),
  /** Further options of the run, by their names in launch configurations. */
  options: z.record(z.string(), z.unknown()),
  baseUrl: z.optional(z.string()),
  /** The GPU host with its Tinker server, in place of `baseUrl`. */
  tinkerHost: z.optional(z.string()),
  baseModel: z.string(),
  rank: z.number(),
  seed: z.number(),
  loss: z.enum(lossNames),
  batchSize: z.number(),
  totalSteps: z.number(),
  /** In order. */
  checkpoints: z.array(z.object({ ...trainingCheckpoint, savedAt: z.number() })),
  /** The steps whose checkpoints the user has deleted. */
  deleted: z.optional(z.array(z.number())),
  /** The last step that was trained. Steps after the last checkpoint are trained again. */
  step: z.number(),
  status: z.enum(['running', 'completed', 'cancelled', 'failed', 'limit-reached']),
  /** The reason why it failed, or the limit that it reached. */
  reason: z.optional(z.string()),
  startedAt: z.number(),
  /** The use of the whole training, and of its last step. */
  usage: z.optional(trainingUsage),
  stepUsage: z.optional(trainingUsage),
  /** The process that trains. Without it, a killed training would look like one at a breakpoint. */
  writer: z.optional(writerIdentity),
});
export type TrainingState = z.infer<typeof trainingState>;

/** The folder of a training. */
export interface TrainingFolder {
  /** Absolute. */
  readonly path: string;
  /** The state of a training that continues; undefined: a new training. */
  readonly state: TrainingState | undefined;
  /** Removes the metrics of the steps after `step`, which are trained again. */
  rewind(step: number): Promise<void>;
  /** @param name of the trace, without its extension, e.g. `step-0003`. An abandoned trace of that name is kept aside. */
  openTrace(name: string, run: RunFacts): TraceWriter;
  /** Replaces the state, so that it is whole after a crash too. */
  save(state: TrainingState): Promise<void>;
  /** Appends a line of metrics. */
  log(line: MetricsLine): Promise<void>;
}

export interface TrainerPorts {
  /** Opens a session. Rejects with `tinker/…`. `onTokens` is called with the tokens that the server has processed. */
  connect(
    request: TrainRequest,
    onTokens: (kind: TokenKind, count: number) => void,
    cancellation: CancellationToken,
  ): Promise<TinkerSession>;
  /** Creates the folder of a run, or opens that of a training to continue. Rejects with `trainer/…`. */
  openFolder(plan: RunPlan, resume: string | undefined): Promise<TrainingFolder>;
}
