/** The run of a trace: its launch options, the settings that decide its samples, and its end. */
import * as z from 'zod/mini';
import { errorReport, location } from '../../../base/core/errorReport.ts';

/** The tokenizer of a run. Ids and lengths equal those of training only if it is `exact`. */
export const tokenizerInfo = z.object({
  /** e.g. `Qwen/Qwen2.5-7B`, or `embedded`. */
  name: z.string(),
  /** False if the built-in tokenizer of Qwen2.5 replaced that of the model, so that lengths are approximate. */
  exact: z.boolean(),
  /** The absolute path of its `tokenizer.json`; null for the built-in tokenizer. */
  file: z.nullable(z.string()),
});
export type TokenizerInfo = z.infer<typeof tokenizerInfo>;

/** The length limits of the config, in tokens. */
const lengthLimits = z.object({
  /** `ajet.rollout.max_model_len`. */
  modelLength: z.number(),
  /** `ajet.data.max_prompt_length`. */
  promptLength: z.number(),
  /** `ajet.data.max_response_length`. */
  responseLength: z.number(),
  /** `ajet.rollout.max_response_length_in_one_turn`; 0: no room is reserved for a reply. */
  turnLength: z.number(),
});
export type LengthLimits = z.infer<typeof lengthLimits>;

/** The settings that decide which calls merge into one timeline. */
export const mergeRules = z.object({
  /** `ajet.context_tracker.timeline_merging_policy.timeline_compare_level`. */
  compareLevel: z.enum(['text', 'token']),
  /** `ajet.context_tracker.timeline_merging_policy.ignore_tools`. */
  ignoreTools: z.boolean(),
  /** `ajet.context_tracker.fix_retokenization_drift`; absent in traces of earlier versions. */
  fixesDrift: z.optional(z.boolean()),
  /** `ajet.rollout.force_disable_toolcalls`: no tools are compared then; absent in traces of earlier versions. */
  toolCallsDisabled: z.optional(z.boolean()),
});
export type MergeRules = z.infer<typeof mergeRules>;

/** The settings that decide which samples of a run training uses. */
export const batchRules = z.object({
  /** `ajet.rollout.multi_turn.max_sample_per_task`: the limit per episode, in spite of the name of the key. */
  perEpisode: z.number(),
  seed: z.number(),
});
export type BatchRules = z.infer<typeof batchRules>;

export const missingDataKinds = [
  'calls',
  'rewards',
  'successes',
  'times',
  'tokens',
  'tokenTexts',
  'lossMask',
  'logprobs',
  'tokenCounts',
] as const;
export type MissingData = (typeof missingDataKinds)[number];

/** The source of an imported trace. Data that its format does not have is unknown. */
const importInfo = z.object({
  /** e.g. `OTLP/JSON`. */
  format: z.string(),
  /** The absolute path of the file. */
  source: z.string(),
  /** The data that the source does not have. Zeros and empty texts replace it in the trace. */
  lacks: z.readonly(z.array(z.enum(missingDataKinds))),
  records: z.number(),
  /** The number of unreadable records. The first of them are in `skips`. */
  skipped: z.number(),
  /** `where`: e.g. `line 12`. */
  skips: z.readonly(z.array(z.object({ where: z.string(), why: z.string() }))),
  /** True if training wrote it. Its episodes can then run again with the trained config. */
  rollouts: z.optional(z.boolean()),
  /** True if its task ids are those of the data set. */
  ownTaskIds: z.optional(z.boolean()),
});
export type ImportInfo = z.infer<typeof importInfo>;

/** Returns whether episodes of a trace can run again. Recordings of other tools have no workflow. */
export function canRunEpisodes({ imported }: { readonly imported?: ImportInfo | undefined }): boolean {
  return imported === undefined || imported.rollouts === true;
}

/** The launch options that affect episodes, in addition to the config. */
const tracedLaunch = z.object({
  /** The absolute base of relative paths. */
  cwd: z.string(),
  split: z.enum(['training', 'validation']),
  mode: z.enum(['sample', 'validate']),
  asUpstreamDebug: z.boolean(),
  /** Absent: the value of the workflow. */
  trainableTargets: z.optional(z.readonly(z.array(z.string()))),
});
export type TracedLaunch = z.infer<typeof tracedLaunch>;

/** The place of a run in a training. */
const trainingPlace = z.object({
  /** The step that trains on the run, from 1. Null: it is a validation. */
  step: z.nullable(z.number()),
  /** The step whose weights answered. 0: those of the base model. */
  weights: z.number(),
  /** The `tinker://` path of these weights. Absent: they were not saved. */
  checkpoint: z.optional(z.string()),
});

/** A run without the parts that are stored separately. */
export const storedRun = z.object({
  experiment: z.string(),
  /** The absolute path of the config. */
  config: z.string(),
  workflow: z.string(),
  workflowFile: z.string(),
  model: z.string(),
  /** The judge as written in the config. Absent: none. */
  judge: z.optional(z.string()),
  tokenizer: tokenizerInfo,
  limits: lengthLimits,
  /** Absent: the trace was not imported. */
  imported: z.optional(importInfo),
  /** Absent in traces of earlier versions. */
  launch: z.optional(tracedLaunch),
  /** Absent: the run is not part of a training. */
  training: z.optional(trainingPlace),
  tasks: z.number(),
  repeat: z.number(),
  episodes: z.number(),
  /** Milliseconds since the Unix epoch. */
  startedAt: z.number(),
});
export type StoredRun = z.infer<typeof storedRun>;

/** A run at the start of its first episode. */
export interface TracedRun extends StoredRun {
  readonly configText: string;
  readonly merging: MergeRules;
  /** Absent in traces of earlier versions. */
  readonly batch?: BatchRules;
}

export const codeLocations = z.object({
  /** `execute` of the workflow class, or the workflow function. */
  execute: z.optional(location),
  /** `computeReward` of the judge class, or the judge function. Absent: the config has no judge. */
  judge: z.optional(location),
});
export type CodeLocations = z.infer<typeof codeLocations>;

export const runEnd = z.object({
  status: z.enum(['completed', 'cancelled', 'failed']),
  error: z.nullable(errorReport),
  /** The selection of an oversampled run. */
  selection: z.optional(z.readonly(z.array(z.object({ episode: z.number(), times: z.number() })))),
  /** Milliseconds since the Unix epoch. */
  endedAt: z.number(),
});
export type TracedRunEnd = z.infer<typeof runEnd>;
