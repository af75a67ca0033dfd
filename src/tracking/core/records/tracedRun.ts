/** What a trace says of its run: how it was asked for, what decides its samples, and how it ended. */
import type { ErrorReport, Location } from '../../../base/core/errors.ts';
import type { Selection } from './episodeResult.ts';

/** Whose tokenizer counted: only with `exact` are ids and lengths those of training. */
export interface TokenizerInfo {
  /** e.g. `Qwen/Qwen2.5-7B`, or `embedded`. */
  readonly name: string;
  /** False where the built-in tokenizer replaced that of the model: ids are those of Qwen2.5, and lengths approximate. */
  readonly exact: boolean;
  /** The absolute path of its `tokenizer.json`; null for the built-in tokenizer. */
  readonly file: string | null;
}

/** The config's lengths, in tokens, that decide what fits into a sample. */
export interface LengthLimits {
  /** `ajet.rollout.max_model_len`. */
  readonly modelLength: number;
  /** `ajet.data.max_prompt_length`. */
  readonly promptLength: number;
  /** `ajet.data.max_response_length`. */
  readonly responseLength: number;
  /** `ajet.rollout.max_response_length_in_one_turn`; 0: no room is kept free for a reply. */
  readonly turnLength: number;
}

/** What of the config decides which calls merge into one timeline. */
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

/** What of the config decides which of a run's samples training takes. */
export interface BatchRules {
  /** `ajet.rollout.multi_turn.max_sample_per_task`: of one episode, whatever the key says. */
  readonly perEpisode: number;
  /** The run's. */
  readonly seed: number;
}

/** What a trace was made from that no run of ours wrote. What its format lacks is unknown, never made up. */
export interface ImportInfo {
  /** e.g. `OTLP/JSON`. */
  readonly format: string;
  /** The file, absolute; it was only read. */
  readonly source: string;
  /** What is nowhere in it; zeros and empty texts in its place mean nothing. */
  readonly lacks: readonly MissingData[];
  /** Records that were read. */
  readonly records: number;
  /** Records that could not be read; the first of them are in `skips`. */
  readonly skipped: number;
  readonly skips: readonly ImportSkip[];
  /** Whether training wrote it: its episodes can be run again with the config that was trained. */
  readonly rollouts?: boolean | undefined;
  /** Whether its tasks have the ids that they have in the data set. */
  readonly ownTaskIds?: boolean | undefined;
}

/** Whether episodes of a trace can be run here: of what other tools recorded there is no workflow. */
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

/** What a run was asked that decides how its episodes go, beside its config. */
export interface TracedLaunch {
  /** Where relative paths start from, absolute. */
  readonly cwd: string;
  readonly split: 'training' | 'validation';
  readonly mode: 'sample' | 'validate';
  readonly asUpstreamDebug: boolean;
  /** Absent: what the workflow says. */
  readonly trainableTargets?: readonly string[] | undefined;
}

/** A run, as known when its first episode starts. */
export interface TracedRun {
  readonly experiment: string;
  /** The config file, absolute, and its text as it was. */
  readonly config: string;
  readonly configText: string;
  readonly workflow: string;
  readonly workflowFile: string;
  /** e.g. `built-in (seed 12345)`. */
  readonly model: string;
  /** As the config names it; absent: it names none. */
  readonly judge?: string | undefined;
  readonly tokenizer: TokenizerInfo;
  readonly limits: LengthLimits;
  readonly merging: MergeRules;
  /** Absent in traces of earlier versions, like `launch`. */
  readonly batch?: BatchRules;
  /** Absent: a run of ours wrote it. */
  readonly imported?: ImportInfo | undefined;
  readonly launch?: TracedLaunch | undefined;
  readonly tasks: number;
  readonly repeat: number;
  readonly episodes: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** Where the user's files have what rewards come from. */
export interface CodeLocations {
  /** `execute` of the workflow's class, or the function that is the workflow. */
  readonly execute?: Location | undefined;
  /** `computeReward` of the judge's class, or the function; absent: the config names no judge. */
  readonly judge?: Location | undefined;
}

export interface TracedRunEnd {
  readonly status: 'completed' | 'cancelled' | 'failed';
  readonly error: ErrorReport | null;
  /** Of an oversampled rollout. */
  readonly selection?: readonly Selection[] | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number;
}
