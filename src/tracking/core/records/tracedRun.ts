/** The run of a trace: its launch options, the settings that decide its samples, and its end. */
import type { ErrorReport, Location } from '../../../base/core/errors.ts';
import type { Selection } from './episodeResult.ts';

/** The tokenizer of a run. Ids and lengths equal those of training only if it is `exact`. */
export interface TokenizerInfo {
  /** e.g. `Qwen/Qwen2.5-7B`, or `embedded`. */
  readonly name: string;
  /** False if the built-in tokenizer of Qwen2.5 replaced that of the model, so that lengths are approximate. */
  readonly exact: boolean;
  /** The absolute path of its `tokenizer.json`; null for the built-in tokenizer. */
  readonly file: string | null;
}

/** The length limits of the config, in tokens. */
export interface LengthLimits {
  /** `ajet.rollout.max_model_len`. */
  readonly modelLength: number;
  /** `ajet.data.max_prompt_length`. */
  readonly promptLength: number;
  /** `ajet.data.max_response_length`. */
  readonly responseLength: number;
  /** `ajet.rollout.max_response_length_in_one_turn`; 0: no room is reserved for a reply. */
  readonly turnLength: number;
}

/** The settings that decide which calls merge into one timeline. */
export interface MergeRules {
  /** `ajet.context_tracker.timeline_merging_policy.timeline_compare_level`. */
  readonly compareLevel: 'text' | 'token';
  /** `ajet.context_tracker.timeline_merging_policy.ignore_tools`. */
  readonly ignoreTools: boolean;
  /** `ajet.context_tracker.fix_retokenization_drift`; absent in traces of earlier versions. */
  readonly fixesDrift?: boolean | undefined;
  /** `ajet.rollout.force_disable_toolcalls`: no tools are compared then; absent in traces of earlier versions. */
  readonly toolCallsDisabled?: boolean | undefined;
}

/** The settings that decide which samples of a run training uses. */
export interface BatchRules {
  /** `ajet.rollout.multi_turn.max_sample_per_task`: the limit per episode, in spite of the name of the key. */
  readonly perEpisode: number;
  /** The seed of the run. */
  readonly seed: number;
}

/** The source of an imported trace. Data that its format does not have is unknown. */
export interface ImportInfo {
  /** e.g. `OTLP/JSON`. */
  readonly format: string;
  /** The absolute path of the file. */
  readonly source: string;
  /** The data that the source does not have. Zeros and empty texts replace it in the trace. */
  readonly lacks: readonly MissingData[];
  /** The number of records that were read. */
  readonly records: number;
  /** The number of unreadable records. The first of them are in `skips`. */
  readonly skipped: number;
  readonly skips: readonly ImportSkip[];
  /** True if training wrote it. Its episodes can then run again with the trained config. */
  readonly rollouts?: boolean | undefined;
  /** True if its task ids are those of the data set. */
  readonly ownTaskIds?: boolean | undefined;
}

/** Returns whether episodes of a trace can run again. Recordings of other tools have no workflow. */
export function canRunEpisodes({ imported }: { readonly imported?: ImportInfo | undefined }): boolean {
  return imported === undefined || imported.rollouts === true;
}

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

export interface ImportSkip {
  /** e.g. `line 12`. */
  readonly where: string;
  readonly why: string;
}

/** The launch options that affect episodes, in addition to the config. */
export interface TracedLaunch {
  /** The absolute base of relative paths. */
  readonly cwd: string;
  readonly split: 'training' | 'validation';
  readonly mode: 'sample' | 'validate';
  readonly asUpstreamDebug: boolean;
  /** Absent: the value of the workflow. */
  readonly trainableTargets?: readonly string[] | undefined;
}

/** A run at the start of its first episode. */
export interface TracedRun {
  readonly experiment: string;
  /** The absolute path of the config. */
  readonly config: string;
  readonly configText: string;
  readonly workflow: string;
  readonly workflowFile: string;
  /** e.g. `built-in (seed 12345)`. */
  readonly model: string;
  /** The judge as written in the config. Absent: none. */
  readonly judge?: string | undefined;
  readonly tokenizer: TokenizerInfo;
  readonly limits: LengthLimits;
  readonly merging: MergeRules;
  /** Absent in traces of earlier versions, like `launch`. */
  readonly batch?: BatchRules;
  /** Absent: the trace was not imported. */
  readonly imported?: ImportInfo | undefined;
  readonly launch?: TracedLaunch | undefined;
  readonly tasks: number;
  readonly repeat: number;
  readonly episodes: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** The locations of the workflow and the judge in user code. */
export interface CodeLocations {
  /** `execute` of the workflow class, or the workflow function. */
  readonly execute?: Location | undefined;
  /** `computeReward` of the judge class, or the judge function. Absent: the config has no judge. */
  readonly judge?: Location | undefined;
}

export interface TracedRunEnd {
  readonly status: 'completed' | 'cancelled' | 'failed';
  readonly error: ErrorReport | null;
  /** The selection of an oversampled run. */
  readonly selection?: readonly Selection[] | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number;
}
