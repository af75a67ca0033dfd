/** Runs of a GPU host, and their events. */
import * as z from 'zod/mini';
import { hasControlCharacters } from '../../../base/core/visibleText.ts';

export const gpuSample = z.object({
  /** Milliseconds since the Unix epoch, by the host's clock. */
  at: z.number(),
  /** The number of readings in this mean. */
  looks: z.int().check(z.positive()),
  /** GPUs of the run: load in percent, memory in MiB. Null if the driver does not report it. */
  gpus: z.array(
    z.object({
      index: z.int(),
      load: z.nullable(z.number()),
      used: z.nullable(z.number()),
      memory: z.nullable(z.number()),
    }),
  ),
});
export type GpuSample = z.infer<typeof gpuSample>;
/** The maximum length in characters. In any encoding it fits into one frame of the wire. */
export const mostOfEffectiveConfig = 1024 * 1024;

export const effectiveConfig = z.object({
  /** YAML with values and their origins, without secrets. */
  text: z.string().check(z.maxLength(mostOfEffectiveConfig)),
});
export type EffectiveConfig = z.infer<typeof effectiveConfig>;
/** The id of a run. It sorts by time and is a valid file name. */
export const runId = z.string().check(z.regex(/^\d{8}-\d{6}-[0-9a-f]{6}$/));
/** SHA-256 in lower-case hex. */
export const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** A path inside a run or snapshot: relative, with `/`. `sync/jail` checks its content. */
export const insidePath = z.string().check(z.minLength(1), z.maxLength(1_024));
export const launcherNames = ['ajet', 'trinity', 'ray'] as const;
export type LauncherName = (typeof launcherNames)[number];
/** The launchers of runs. `tinker` is a Tinker server, which `tinker.start` starts, and which no order names. */
export const runLaunchers = [...launcherNames, 'tinker'] as const;
export type RunLauncher = (typeof runLaunchers)[number];
const orderBackbones = ['trinity', 'verl'] as const;
/** `lost`: the process ended without a result. `rebooted`: the machine was restarted. */
const final = ['finished', 'failed', 'cancelled', 'lost', 'rebooted'] as const;
/** `queued` waits for GPUs, `preparing` writes its code, `cancelling` was asked to end. */
export const runState = z.enum(['queued', 'preparing', 'running', 'cancelling', ...final]);
export type RunState = z.infer<typeof runState>;
export const finalStates: readonly RunState[] = final;
const stageName = z.string().check(z.maxLength(200));

/** A stage of a training. Each stage starts with step 1 and has its own folder. */
export const runStage = z.object({
  name: stageName,
  /** The folder inside the job's folder; empty for that itself. */
  folder: z.string(),
  totalSteps: z.nullable(z.int()),
});
export type RunStage = z.infer<typeof runStage>;
/** The number of a stage, from 1; absent if the training has none or it is unknown. */
const stageNumber = z.optional(z.int().check(z.positive()));

/** The run and step to resume or fork from. */
const runOrigin = z.object({
  run: runId,
  step: z.int().check(z.nonnegative()),
  as: z.enum(['resume', 'fork']),
  stage: z.optional(stageName),
});

/** An order to run something. The host checks it again and starts only programs on its list of launchers. */
export const runOrder = z.object({
  name: z.string().check(
    z.minLength(1),
    z.maxLength(200),
    z.refine((name) => !hasControlCharacters(name), 'A name cannot contain control characters.'),
  ),
  launcher: z.enum(launcherNames),
  /** The snapshot of the code, whose files become the run's working folder. */
  snapshot: sha256,
  config: insidePath,
  backbone: z.enum(orderBackbones),
  /** Flags of the launcher that `launch/flags` allows, one argument each. No shell is involved. */
  flags: z.array(z.string().check(z.maxLength(1_024))).check(z.maxLength(64)),
  /** Variables of the run. The host stores their names. It keeps values only until the run has started. */
  env: z.record(
    z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)),
    z.string().check(z.maxLength(32_768)),
  ),
  /** The number of GPUs that the run waits for and gets as CUDA_VISIBLE_DEVICES. */
  gpus: z.int().check(z.minimum(0), z.maximum(1_024)),
  from: z.optional(runOrigin),
});
export type RunOrder = z.infer<typeof runOrder>;
export const runBackbones = [...orderBackbones, 'tinker'] as const;

/** A Tinker server that the owner of the host allows, and the base model that it serves. */
export const tinkerService = z.object({ server: z.string(), model: z.string() });
export type TinkerService = z.infer<typeof tinkerService>;

/** A run as clients see it. Times are milliseconds since the Unix epoch, by the host's clock. */
export const runRecord = z.object({
  id: runId,
  name: z.string(),
  launcher: z.enum(runLaunchers),
  backbone: z.enum(runBackbones),
  /** Empty for a Tinker server. */
  config: z.string(),
  snapshot: sha256,
  flags: z.array(z.string()),
  /** Names only. */
  env: z.array(z.string()),
  gpus: z.int(),
  /** Indices of its GPUs, once it has them. */
  devices: z.array(z.int()),
  state: runState,
  /** The reason why it failed, was lost or waits, in one sentence. */
  reason: z.nullable(z.string()),
  /** The current phase: `loading models`, `training`, … */
  phase: z.nullable(z.string()),
  exitCode: z.nullable(z.int()),
  step: z.nullable(z.int()),
  /**
   * The total number of steps; null if the config does not set it. In a training with stages, `step` and `totalSteps`
   * are those of one stage.
   */
  totalSteps: z.nullable(z.int()),
  stages: z.optional(z.array(runStage)),
  /** The current or last stage. */
  stage: stageNumber,
  reward: z.nullable(z.number()),
  /** The absolute folder of checkpoints and logs on the host; null until it is known. */
  jobFolder: z.nullable(z.string()),
  createdAt: z.number(),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  /** The number of its newest event. */
  events: z.int(),
  from: z.nullable(runOrigin),
  /** Set if the launcher is `tinker`. */
  tinker: z.optional(tinkerService),
  /** The name of the token that started it. */
  owner: z.string(),
});
export type RunRecord = z.infer<typeof runRecord>;
/** Events are numbered from 1 without gaps, in the order in which the host recorded them. */
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
   * Log lines without line ends, as many as were read at once. `source` is `launcher` for output of the process.
   * Otherwise it is the stem of a file in the job's log folder (`explorer`, `trainer`, `explorer_runner_0`, …). With
   * several stages, the name of the stage comes first (`sft/trainer`). `to` is the number of bytes of that file up to
   * the last line. A restarted host continues there. `part`: the last line continues in the next event of this
   * source.
   */
  z.object({
    ...numbered,
    type: z.literal('log'),
    source: z.string(),
    lines: z.array(z.string()).check(z.minLength(1)),
    to: z.int(),
    part: z.optional(z.literal(true)),
    stage: stageNumber,
  }),
  z.object({
    ...numbered,
    type: z.literal('metrics'),
    role: z.enum(['explorer', 'trainer', 'benchmark']),
    step: z.int(),
    /** Values by the names of Trinity's monitor, without infinite and missing numbers. */
    values: z.record(z.string(), z.number()),
    stage: stageNumber,
  }),
  z.object({ ...numbered, type: z.literal('phase'), phase: z.string() }),
  z.object({ ...numbered, type: z.literal('checkpoint'), step: z.int(), stage: stageNumber }),
  /** The run needs attention: see `runs/alarms`. */
  z.object({ ...numbered, type: z.literal('alarm'), alarm: z.string(), text: z.string() }),
  /** A message of the host about the run, for example that the disk was full. */
  z.object({ ...numbered, type: z.literal('notice'), text: z.string() }),
]);
export type RunEvent = z.infer<typeof runEvent>;

export const checkpoint = z.object({
  step: z.int(),
  stage: z.optional(stageName),
  /** The path inside the job's folder. */
  path: z.string(),
  bytes: z.number(),
  files: z.int(),
  modifiedAt: z.number(),
  /** True if the checkpoint is complete, so that a run can resume from it. */
  resumable: z.boolean(),
  /** True if it has weights in Hugging Face format. */
  huggingFace: z.boolean(),
  reward: z.nullable(z.number()),
  /** The `tinker://` path of the weights for sampling, if a Tinker server has them. */
  sampler: z.optional(z.string()),
});
export type Checkpoint = z.infer<typeof checkpoint>;
