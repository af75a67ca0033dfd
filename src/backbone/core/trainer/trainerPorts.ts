import * as z from 'zod/mini';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { TinkerSession } from '../../../tinker/core/service.ts';
import type { TraceWriter } from '../../../tracking/core/records/trace.ts';
import type { RunFacts, RunPlan } from '../launcher/runPlan.ts';
import { trainingCheckpoint, type TrainRequest } from '../protocol/run.ts';

/** The state from which a training continues after its process has ended. Its folder keeps it. */
export const trainingState = z.object({
  format: z.literal(1),
  /** The config, absolute, and the working directory. */
  config: z.string(),
  cwd: z.string(),
  split: z.enum(['training', 'validation']),
  baseUrl: z.optional(z.string()),
  baseModel: z.string(),
  rank: z.number(),
  seed: z.number(),
  loss: z.string(),
  batchSize: z.number(),
  totalSteps: z.number(),
  /** In order. */
  checkpoints: z.array(z.object({ ...trainingCheckpoint, savedAt: z.number() })),
  /** The last step that was trained. Steps after the last checkpoint are trained again. */
  step: z.number(),
  status: z.enum(['running', 'completed', 'cancelled', 'failed']),
});
export type TrainingState = z.infer<typeof trainingState>;

/** The folder of a training. */
export interface TrainingFolder {
  /** Absolute. */
  readonly path: string;
  /** The state of a training that continues; undefined: a new training. */
  readonly state: TrainingState | undefined;
  /** @param name of the trace, without its extension, e.g. `step-0003`. An abandoned trace of that name is kept aside. */
  openTrace(name: string, run: RunFacts): TraceWriter;
  /** Replaces the state, so that it is whole after a crash too. */
  save(state: TrainingState): Promise<void>;
  /** Appends a line of metrics. */
  log(line: {
    readonly kind: 'step' | 'validation';
    readonly step: number;
    readonly at: number;
    readonly values: Readonly<Record<string, number>>;
  }): Promise<void>;
}

export interface TrainerPorts {
  /** Opens a session. Rejects with `tinker/…`. */
  connect(request: TrainRequest, cancellation: CancellationToken): Promise<TinkerSession>;
  /** Creates the folder of a run, or opens that of a training to continue. Rejects with `trainer/…`. */
  openFolder(plan: RunPlan, resume: string | undefined): Promise<TrainingFolder>;
}
