/** What a trace keeps for judges and for samples, whose episodes have ended. */
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { TracedReturn } from '../../../tracking/core/records/trace.ts';
import type { BatchRules, LengthLimits, TokenizerInfo } from '../../../tracking/core/records/tracedRun.ts';

/** An episode as its trace has it, for a judge. */
export interface RecordedEpisode {
  readonly episode: number;
  readonly uuid: string;
  readonly taskId: string;
  readonly taskIndex: number;
  readonly repeat: number;
  /** Null: it ended with an error, or has not ended. */
  readonly reward: number | null;
  readonly isSuccess: boolean;
  /** Null: the workflow did not come to return anything. */
  readonly returned: TracedReturn | null;
}

/** The episodes of a trace, for a judge. */
export interface RecordedRun {
  readonly experiment: string;
  /** The config file, absolute, as it was named. */
  readonly config: string;
  readonly workflow: string;
  readonly workflowFile: string;
  readonly tasks: number;
  readonly repeat: number;
  readonly episodes: readonly RecordedEpisode[];
}

/** What a trace says of its run's samples, but for their tokens. */
export interface RecordedBatch {
  readonly limits: LengthLimits;
  readonly tokenizer: TokenizerInfo;
  /** Null: the trace is of a version that did not keep them. */
  readonly rules: BatchRules | null;
  /** Episodes per task. */
  readonly repeat: number;
  /** Of the episodes that ended, in order of their numbers. */
  readonly results: readonly EpisodeResult[];
}
