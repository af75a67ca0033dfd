/** What is answered about a run as a whole; see traceRpc.ts. */
import type { ErrorReport } from '../../../base/core/errors.ts';
import type { EpisodeRow } from './traceLists.ts';
import type {
  LengthLimits,
  TokenizerInfo,
  TracedRun,
  TracedRunEnd,
} from '../../../tracking/core/records/tracedRun.ts';

export interface RunView extends Omit<TracedRun, 'configText' | 'merging' | 'batch'> {
  /** Null while it runs, and for ever when its process was killed. */
  readonly end: TracedRunEnd | null;
  /** Whether the process that writes it lives. */
  readonly live: boolean;
  /** The episode that started last: the highest number; null: none has. */
  readonly newest: number | null;
  readonly totals: RunTotals;
  readonly report: ReportView;
  /** Set when the file has a format newer than this reader's: what it does not know is not shown. */
  readonly newerFormat: number | null;
  /** Absent: all of the file could be read so far. */
  readonly damage?: DamageView | undefined;
}

/** What of a damaged file could not be read, at least: contents are read only when they are asked for. */
export interface DamageView {
  /** Whether it includes what the file tells of the run itself. */
  readonly run: boolean;
  /** Whether it includes texts of tokens, which then show as nothing. */
  readonly tokens: boolean;
  /** Episodes of which nothing is listed. */
  readonly lost: number;
  /** Episodes that lack calls, messages, timelines or their result. */
  readonly incomplete: number;
  /** The first of these, at most `largestWindow.episodes`. */
  readonly episodes: readonly number[];
}

export interface RunTotals {
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  readonly meanReward: number | null;
  readonly successRate: number | null;
  readonly calls: number;
  /** These and the tokens are of episodes that ended. */
  readonly timelines: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

/** The training report, worded: findings with the episodes they concern. */
export interface ReportView {
  readonly trains: number;
  readonly doesNotTrain: number;
  readonly findings: readonly {
    readonly code: string;
    readonly level: 'run' | 'group' | 'episode';
    /** `error`: these episodes add nothing to training; `warning`: look at it. */
    readonly severity: 'error' | 'warning';
    readonly message: string;
    /** What to do; empty: nothing is known. */
    readonly hint: string;
    /** The first of them, at most `largestWindow.episodes`; `count` is all, 0 for what is about the run. */
    readonly episodes: readonly number[];
    readonly count: number;
    /** How many groups have it; 0: it is not about groups. */
    readonly groups: number;
  }[];
}

/** One run on disk. */
export interface TraceSummary {
  readonly trace: string;
  /** Bytes, those of a journal beside it included. */
  readonly size: number;
  readonly experiment: string;
  readonly config: string;
  readonly workflow: string;
  readonly model: string;
  readonly startedAt: number;
  readonly state: 'running' | 'completed' | 'cancelled' | 'failed' | 'killed' | 'unreadable';
  /** Why it is unreadable or failed. */
  readonly error: ErrorReport | null;
  /** How many it is to have; 0: not known. */
  readonly episodes: number;
  readonly totals: RunTotals;
  readonly tokenizer: TokenizerInfo | null;
  readonly limits: LengthLimits | null;
  /** As of {@link RunView}. */
  readonly damage?: DamageView | undefined;
}

/** An editor lets the user choose a run; null: none was chosen. A browser gets the runs that it may read. */
export type OtherRunsView = { readonly chosen: string | null } | { readonly traces: readonly TraceSummary[] };

export interface CounterpartsView {
  readonly experiment: string;
  /** The first of them, at most `largestWindow.episodes`, at least one. */
  readonly episodes: readonly EpisodeRow[];
  /** Whether the queries of the tasks are equal too, not only their ids. */
  readonly sameQuery: boolean;
}
