/** Results about a run as a whole; see traceRpc.ts. */
import type { ErrorReport } from '../../../base/core/errors.ts';
import type { RecordedRecord, RunTotals } from '../records.ts';
import type { EpisodeRow } from './traceLists.ts';
import type {
  LengthLimits,
  TokenizerInfo,
  TracedRunEnd,
  BatchRules,
  StoredRun,
} from '../../../tracking/core/records/tracedRun.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { TracedReturn } from '../../../tracking/core/records/trace.ts';

export interface RunView extends StoredRun {
  /** Null while it runs, and permanently if its process was killed. */
  readonly end: TracedRunEnd | null;
  readonly live: boolean;
  /** The episode that started last: the highest number; null: none has. */
  readonly newest: number | null;
  readonly totals: RunTotals;
  readonly report: ReportView;
  /** Calls of ended episodes that debug models answered. They are not trained. */
  readonly untrained: readonly { readonly model: string; readonly calls: number }[];
  /** Set if the file has a newer format than this reader knows. Unknown parts are not shown. */
  readonly newerFormat: number | null;
  /** Absent: no damage was found so far. */
  readonly damage?: DamageView | undefined;
}

/** The known damage of a file. Contents are checked only when they are read, so there may be more. */
export interface DamageView {
  /** True if facts about the run are lost. */
  readonly run: boolean;
  /** True if texts of tokens are lost; these are then empty. */
  readonly tokens: boolean;
  /** Number of episodes that are not listed at all. */
  readonly lost: number;
  /** Number of episodes with missing calls, messages, timelines or results. */
  readonly incomplete: number;
  /** The first of these, at most `largestWindow.episodes`. */
  readonly episodes: readonly number[];
}

/** The training report, worded: findings with the episodes they concern. */
export interface ReportView {
  readonly trains: number;
  readonly doesNotTrain: number;
  readonly findings: readonly {
    readonly code: string;
    readonly level: 'run' | 'group' | 'episode';
    /** `error`: these episodes do not contribute to training. `warning`: check them. */
    readonly severity: 'error' | 'warning';
    readonly message: string;
    /** The hint; empty: none. */
    readonly hint: string;
    /**
     * The first episodes that it is about, at most `largestWindow.episodes`. `count` is the number of all, 0 for a
     * finding about the run.
     */
    readonly episodes: readonly number[];
    readonly count: number;
    /** The number of groups that have it; 0: it is not about groups. */
    readonly groups: number;
  }[];
}

export interface TraceSummary extends Pick<
  RunView,
  'experiment' | 'config' | 'workflow' | 'model' | 'startedAt' | 'totals' | 'damage'
> {
  readonly trace: string;
  /** The size in bytes, including its journal. */
  readonly size: number;
  readonly state: 'running' | 'completed' | 'cancelled' | 'failed' | 'killed' | 'unreadable';
  /** The error that made it unreadable or failed. */
  readonly error: ErrorReport | null;
  /** The planned number of episodes; 0: unknown. */
  readonly episodes: number;
  readonly tokenizer: TokenizerInfo | null;
  readonly limits: LengthLimits | null;
}

/** An editor lets the user choose a run; null: none was chosen. A server lists the runs that it may read. */
export type OtherRunsView = { readonly chosen: string | null } | { readonly traces: readonly TraceSummary[] };

/** Runs that the viewer may show, the newest first. */
export interface RunsView {
  readonly runs: readonly TraceSummary[];
}

export interface CounterpartsView {
  readonly experiment: string;
  /** The first of them, at most `largestWindow.episodes`, at least one. */
  readonly episodes: readonly EpisodeRow[];
  /** True if the queries of the tasks are equal, and not only their ids. */
  readonly sameQuery: boolean;
}

/** An episode as its trace has it, for a judge. */
export interface RecordedEpisode extends Omit<RecordedRecord, 'isSuccess' | 'task' | 'output'> {
  readonly isSuccess: boolean;
  /** Null: the workflow did not return. */
  readonly returned: TracedReturn | null;
}

export interface RecordedRun extends Pick<
  StoredRun,
  'experiment' | 'config' | 'workflow' | 'workflowFile' | 'tasks' | 'repeat'
> {
  readonly episodes: readonly RecordedEpisode[];
}

/** The facts about a run's samples that a trace has, except for their tokens. */
export interface RecordedBatch {
  readonly limits: LengthLimits;
  readonly tokenizer: TokenizerInfo;
  /** Null: the trace is of a version that did not store them. */
  readonly rules: BatchRules | null;
  /** Episodes per task. */
  readonly repeat: number;
  /** The results of ended episodes, in order of their numbers. */
  readonly results: readonly EpisodeResult[];
}
