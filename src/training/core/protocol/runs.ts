/** Runs of a GPU host: what is known of one, and the events that tell how it came to it. */
import * as z from 'zod/mini';

/** Made by the host: sorts by time, and is a file name anywhere. */
export const runId = z.string().check(z.regex(/^\d{8}-\d{6}-[0-9a-f]{6}$/));
/** SHA-256 in lower-case hex. */
export const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** A path inside a run or snapshot: relative, `/` between names; what it may hold is checked by `remote/sync/jail`. */
export const insidePath = z.string().check(z.minLength(1), z.maxLength(1_024));

export const launcherNames = ['ajet', 'trinity', 'ray'] as const;
export type LauncherName = (typeof launcherNames)[number];

/**
 * `queued` waits for GPUs, `preparing` puts its code in place, `cancelling` has been asked to end. The last six are final:
 * `lost`: its process went without leaving a result; `rebooted`: the machine did, and the run with it.
 */
export const runStates = [
  'queued',
  'preparing',
  'running',
  'cancelling',
  'finished',
  'failed',
  'cancelled',
  'lost',
  'rebooted',
] as const;
export const runState = z.enum(runStates);
export type RunState = z.infer<typeof runState>;

export const finalStates: readonly RunState[] = ['finished', 'failed', 'cancelled', 'lost', 'rebooted'];

const stageName = z.string().check(z.maxLength(200));

/** A stage of a training that has several, in their order: each begins with step 1 and has a folder of its own. */
export const runStage = z.object({
  name: stageName,
  /** Inside the job's folder; empty: that itself. */
  folder: z.string(),
  totalSteps: z.nullable(z.int()),
});
export type RunStage = z.infer<typeof runStage>;
/** Of an event or a run: counted from 1; absent: the training has none, or that was not told. */
const stageNumber = z.optional(z.int().check(z.positive()));

/** What is to be run; checked again by the host, which starts nothing that is not on its list of launchers. */
export const runOrder = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  launcher: z.enum(launcherNames),
  /** Of the code; its files are the run's working directory. */
  snapshot: sha256,
  /** The config among them. */
  config: insidePath,
  backbone: z.enum(['trinity', 'verl']),
  /** Of the launcher's own flags, those `remote/launch` lets through; each one argument, never a shell's text. */
  flags: z.array(z.string().check(z.maxLength(1_024))).check(z.maxLength(64)),
  /** Variables for the run alone. The host stores their names; their values only until the run has started. */
  env: z.record(
    z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)),
    z.string().check(z.maxLength(32_768)),
  ),
  /** GPUs it waits for and gets as CUDA_VISIBLE_DEVICES; 0: none. */
  gpus: z.int().check(z.minimum(0), z.maximum(1_024)),
  /** The run and step it goes on from. */
  from: z.optional(
    z.object({
      run: runId,
      step: z.int().check(z.nonnegative()),
      as: z.enum(['resume', 'fork']),
      /** The name of the stage that the step is of. */
      stage: z.optional(stageName),
    }),
  ),
});
export type RunOrder = z.infer<typeof runOrder>;

/** What a client sees of a run. Times are milliseconds since the Unix epoch, by the host's clock. */
export const runRecord = z.object({
  id: runId,
  name: z.string(),
  launcher: z.enum(launcherNames),
  backbone: z.enum(['trinity', 'verl']),
  config: z.string(),
  snapshot: sha256,
  flags: z.array(z.string()),
  /** Names alone. */
  env: z.array(z.string()),
  gpus: z.int(),
  /** Indices of the GPUs it has, once it has them. */
  devices: z.array(z.int()),
  state: runState,
  /** Why it failed, was lost or waits: one sentence. */
  reason: z.nullable(z.string()),
  /** What it does before its first step, and after: `loading models`, `training`, … */
  phase: z.nullable(z.string()),
  exitCode: z.nullable(z.int()),
  step: z.nullable(z.int()),
  /** Of how many; null: the config does not say. Of a training in stages, this and the step are those of one stage. */
  totalSteps: z.nullable(z.int()),
  stages: z.optional(z.array(runStage)),
  /** The one that it is at, or was at last. */
  stage: stageNumber,
  /** The newest mean reward. */
  reward: z.nullable(z.number()),
  /** Absolute, on the host; where checkpoints and logs of the training are. Null until the run has told. */
  jobFolder: z.nullable(z.string()),
  createdAt: z.number(),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  /** The number of its newest event. */
  events: z.int(),
  from: z.nullable(
    z.object({
      run: runId,
      step: z.int(),
      as: z.enum(['resume', 'fork']),
      stage: z.optional(stageName),
    }),
  ),
  /** Who ordered it: the name of the token. */
  owner: z.string(),
});
export type RunRecord = z.infer<typeof runRecord>;

/** Numbered from 1, without a gap, in the order in which the host learnt of it. */
const numbered = { seq: z.int().check(z.positive()), at: z.number() };

export const runEvent = z.discriminatedUnion('type', [
  z.object({
    ...numbered,
    type: z.literal('state'),
    state: runState,
    reason: z.optional(z.string()),
    exitCode: z.optional(z.int()),
  }),
  /**
   * Lines without their ends, as many as were read at once. `source`: `launcher` (what the process prints) or the stem of a
   * file in the job's log folder (`explorer`, `trainer`, `explorer_runner_0`, …), behind the name of its stage where the
   * training has several (`sft/trainer`). `to`: bytes of that file up to and with the last of them, by which the host goes
   * on after it was killed. `part`: the last line goes on in the next event of this source.
   */
  z.object({
    ...numbered,
    type: z.literal('log'),
    source: z.string(),
    lines: z.array(z.string()).check(z.minLength(1)),
    to: z.int(),
    part: z.optional(z.literal(true)),
    /** Of the log that they are in. */
    stage: stageNumber,
  }),
  z.object({
    ...numbered,
    type: z.literal('metrics'),
    role: z.enum(['explorer', 'trainer', 'benchmark']),
    step: z.int(),
    /** By the names of Trinity's monitor; what is no finite number is left out. */
    values: z.record(z.string(), z.number()),
    stage: stageNumber,
  }),
  z.object({ ...numbered, type: z.literal('phase'), phase: z.string() }),
  z.object({ ...numbered, type: z.literal('checkpoint'), step: z.int(), stage: stageNumber }),
  /** The run needs to be looked at: see `remote/runs/alarms`. */
  z.object({ ...numbered, type: z.literal('alarm'), alarm: z.string(), text: z.string() }),
  /** Something of the host's that concerns the run: it was taken over again, the disk was full, … */
  z.object({ ...numbered, type: z.literal('notice'), text: z.string() }),
]);
export type RunEvent = z.infer<typeof runEvent>;

export const checkpoint = z.object({
  step: z.int(),
  /** The name of the stage that wrote it. */
  stage: z.optional(stageName),
  /** Inside the job's folder. */
  path: z.string(),
  bytes: z.number(),
  files: z.int(),
  modifiedAt: z.number(),
  /** Whether a run can go on from it: all writers had ended. */
  resumable: z.boolean(),
  /** Whether weights of Hugging Face's form are there. */
  huggingFace: z.boolean(),
  reward: z.nullable(z.number()),
});
export type Checkpoint = z.infer<typeof checkpoint>;
