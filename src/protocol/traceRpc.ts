/**
 * What a viewer asks a trace server: JSON both ways, over a process's standard streams, a web page's messages or
 * HTTP on loopback. Readers ask for windows; nothing is sent whole that grows with the run.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../base/errors.ts';
import type { Author, LengthLimits, TokenizerNote, TracedRun, TracedRunEnd } from './trace.ts';

/** Rows and tokens of one answer, at most. */
export const largestWindow = { episodes: 500, tokens: 8_192, text: 65_536 } as const;

const count = z.int().check(z.gte(0));
/** Absolute path of the trace. */
const trace = z.string();

/** Requests by method. */
export const traceRequest = z.discriminatedUnion('method', [
  /** The run, its counts and its report. */
  z.object({ method: z.literal('run'), trace }),
  /** Episodes `from` … `from + limit`, in order. */
  z.object({ method: z.literal('episodes'), trace, from: count, limit: count }),
  /** One episode with its calls and timelines. */
  z.object({ method: z.literal('episode'), trace, episode: count }),
  /** One call with its request and its reply. */
  z.object({ method: z.literal('call'), trace, episode: count, call: count }),
  /** The messages of a timeline. */
  z.object({ method: z.literal('timeline'), trace, episode: count, timeline: count }),
  /** Tokens `from` … `from + limit` of a timeline. */
  z.object({
    method: z.literal('tokens'),
    trace,
    episode: count,
    timeline: count,
    from: count,
    limit: count,
  }),
  /** From now on, `changed` whenever the trace has grown; again: no more. */
  z.object({ method: z.literal('watch'), trace }),
  z.object({ method: z.literal('unwatch'), trace }),
  /** One line about each trace, also of those that cannot be read. */
  z.object({ method: z.literal('summaries'), traces: z.array(z.string()) }),
]);
export type TraceRequest = z.infer<typeof traceRequest>;

/** A request as it crosses; answers carry the same id. */
export const traceCall = z.object({ id: z.int(), request: traceRequest });
export type TraceCall = z.infer<typeof traceCall>;

export type TraceReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorReport }
  | { readonly notice: 'changed'; readonly trace: string };

export interface RunView extends Omit<TracedRun, 'configText' | 'merging' | 'batch'> {
  /** Null while it runs, and for ever when its process was killed. */
  readonly end: TracedRunEnd | null;
  /** Whether the process that writes it lives. */
  readonly live: boolean;
  readonly totals: RunTotals;
  readonly report: ReportView;
  /** Set when the file has a format newer than this reader's: what it does not know is not shown. */
  readonly newerFormat: number | null;
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
    /** The first of them, at most {@link largestWindow.episodes}; `count` is all, 0 for what is about the run. */
    readonly episodes: readonly number[];
    readonly count: number;
    /** How many groups have it; 0: it is not about groups. */
    readonly groups: number;
  }[];
}

export interface EpisodeRow {
  readonly episode: number;
  readonly taskId: string;
  readonly repeat: number;
  /** In lists its beginning only, like the message of `error`; an episode's own view has both whole. */
  readonly query: string;
  /** `lost`: the process died while it ran. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly reward: number | null;
  readonly isSuccess: boolean;
  readonly startedAt: number;
  readonly seconds: number | null;
  readonly calls: number;
  readonly timelines: number;
  readonly tokens: number;
  readonly trainableTokens: number;
  readonly error: ErrorReport | null;
  /** How much better than the others of its task, in deviations; null while that is open, and without a sample. */
  readonly advantage: number | null;
  /** Whether it would train; null while that is open. */
  readonly trains: boolean | null;
  /** Why not, and then what to look at. */
  readonly findings: readonly EpisodeFinding[];
}

export interface EpisodeFinding {
  /** Stable; links lead from it to what is said about it. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence. */
  readonly message: string;
  /** What to do; empty: nothing is known. */
  readonly hint: string;
}

export interface EpisodesView {
  readonly total: number;
  readonly rows: readonly EpisodeRow[];
}

export interface CallRow {
  readonly call: number;
  readonly agent: string;
  readonly tag: string;
  readonly startedAt: number;
  readonly seconds: number;
  readonly status: number;
  readonly error: string | null;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly finishReason: string | null;
  /** The timeline that it became a part of; null: none. */
  readonly timeline: number | null;
}

export interface TimelineRow {
  readonly timeline: number;
  readonly calls: readonly number[];
  readonly messages: number;
  readonly tokens: number;
  readonly trainableTokens: number;
  /** Merged from the calls so far: the episode still runs. */
  readonly provisional: boolean;
}

export interface EpisodeView {
  readonly row: EpisodeRow;
  readonly calls: readonly CallRow[];
  readonly timelines: readonly TimelineRow[];
}

export interface MessageView {
  /** Position in the call's or timeline's messages. */
  readonly index: number;
  readonly role: string;
  readonly author: Author;
  /** At most {@link largestWindow.text} characters. */
  readonly text: string;
  readonly truncated: boolean;
  /** JSON; null: none. */
  readonly toolCalls: string | null;
  readonly toolCallId: string | null;
  /** Tokens, and where they start in the timeline. */
  readonly firstToken: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

export interface CallView {
  readonly row: CallRow;
  /** JSON, see TracedCall. */
  readonly options: string;
  readonly tools: string | null;
  readonly messages: readonly MessageView[];
  readonly reply: MessageView | null;
}

export interface TimelineView {
  readonly row: TimelineRow;
  readonly messages: readonly MessageView[];
}

/** Parallel arrays, one entry per token. */
export interface TokensView {
  readonly from: number;
  readonly total: number;
  readonly ids: readonly number[];
  /**
   * Text of each token. A character that spans tokens stands whole in the last of them, the earlier ones are "";
   * bytes that are no UTF-8 are U+FFFD.
   */
  readonly texts: readonly string[];
  readonly special: readonly boolean[];
  readonly lossMask: readonly (0 | 1)[];
  /** Null: the endpoint gave none. */
  readonly logprobs: readonly (number | null)[];
  /** Position of the token's message in the timeline. */
  readonly messages: readonly number[];
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
  readonly totals: RunTotals;
  readonly tokenizer: TokenizerNote | null;
  readonly limits: LengthLimits | null;
}

/** What each method answers. */
export interface TraceResults {
  readonly run: RunView;
  readonly episodes: EpisodesView;
  readonly episode: EpisodeView;
  readonly call: CallView;
  readonly timeline: TimelineView;
  readonly tokens: TokensView;
  readonly watch: null;
  readonly unwatch: null;
  readonly summaries: readonly TraceSummary[];
}

export type TraceMethod = TraceRequest['method'];
export type RequestOf<M extends TraceMethod> = Omit<Extract<TraceRequest, { method: M }>, 'method'>;

/** A connection to a trace server, whatever carries it. */
export interface TraceClient {
  /** Rejects with a `CodedError` made of the server's report. */
  ask<M extends TraceMethod>(method: M, parameters: RequestOf<M>): Promise<TraceResults[M]>;
  onChanged(listener: (trace: string) => void): { dispose(): void };
}
