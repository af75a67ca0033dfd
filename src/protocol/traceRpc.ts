/**
 * What a viewer asks a trace server: JSON both ways, over a process's standard streams, a web page's messages or
 * HTTP on loopback. Readers ask for windows; nothing is sent whole that grows with the run.
 */
import * as z from 'zod/mini';
import type { ErrorReport } from '../base/errors.ts';
import { codeRequests, type DebugView, type LinesView, type ShownView, type SourceView } from './codeRpc.ts';
import { conversationRequests, count, trace, type ConversationResults } from './conversationRpc.ts';
import type { CallView, EpisodeView, SpansView, TimelineView } from './episodeRpc.ts';
import { bySetting } from './mergeSetting.ts';
import { mergingRequests, type MergingResults } from './mergingRpc.ts';
import { otherRunRequests, type OtherRunResults } from './otherRunRpc.ts';
import type { RunView, TraceSummary } from './runRpc.ts';
import {
  comparedTrace,
  wanted,
  type CompareView,
  type FindView,
  type StripView,
  type TokenDetail,
  type TokensView,
} from './tokenRpc.ts';
import {
  episodeSorts,
  groupSorts,
  listWindow,
  sortBy,
  type EpisodesView,
  type GroupsView,
  type GroupView,
  type Histogram,
  type NamesView,
} from './traceLists.ts';

/** Rows, tokens and characters of one answer, at most. */
export const largestWindow = {
  episodes: 500,
  tokens: 8_192,
  text: 65_536,
  json: 262_144,
  /** Of a timeline's strip. */
  stretches: 2_048,
  /** Characters of a message that is one of many. */
  listed: 16_384,
  /** Of one search. */
  matches: 1_000,
} as const;

/** Which timeline. */
const timelineOf = { episode: count, timeline: count, ...bySetting };

/** Requests by method. */
export const traceRequest = z.discriminatedUnion('method', [
  /** The run, its counts and its report. */
  z.object({ method: z.literal('run'), trace }),
  /** Entries `from` … `from + limit` of the episodes that the filter lets through, in the order asked for. */
  z.object({ method: z.literal('episodes'), trace, ...listWindow, sort: z.optional(sortBy(episodeSorts)) }),
  /** The same of the groups that have such an episode. */
  z.object({ method: z.literal('groups'), trace, ...listWindow, sort: z.optional(sortBy(groupSorts)) }),
  /** One group with its episodes. */
  z.object({ method: z.literal('group'), trace, group: count }),
  /** How rewards and lengths are spread over the run. */
  z.object({ method: z.literal('histograms'), trace }),
  /** The agents and tools that the run has, for whoever looks for one. */
  z.object({ method: z.literal('names'), trace }),
  /** One episode with its calls and timelines. */
  z.object({ method: z.literal('episode'), trace, episode: count }),
  /** What an episode did beside its calls. */
  z.object({ method: z.literal('spans'), trace, episode: count }),
  /** One call with its request and its reply. */
  z.object({ method: z.literal('call'), trace, episode: count, call: count }),
  /** The messages of a timeline. */
  z.object({ method: z.literal('timeline'), trace, ...timelineOf }),
  /** Tokens `from` … `from + limit` of a timeline. */
  z.object({
    method: z.literal('tokens'),
    trace,
    ...timelineOf,
    from: count,
    limit: count,
  }),
  /** All that is known of one token of a timeline. */
  z.object({ method: z.literal('token'), trace, ...timelineOf, token: count }),
  /** The whole timeline in as many stretches as a strip of it has room for. */
  z.object({ method: z.literal('strip'), trace, ...timelineOf, stretches: count }),
  /** Where a text, a pattern or a token id stands in a timeline, from token `from` on. */
  z.object({
    method: z.literal('find'),
    trace,
    ...timelineOf,
    wanted,
    from: count,
  }),
  ...conversationRequests,
  ...codeRequests,
  /** Two timelines beside each other; each side may be of another trace. */
  z.object({ method: z.literal('compare'), trace, left: comparedTrace, right: comparedTrace }),
  ...mergingRequests,
  ...otherRunRequests,
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

/** What each method answers. */
export interface TraceResults extends ConversationResults, MergingResults, OtherRunResults {
  readonly run: RunView;
  readonly episodes: EpisodesView;
  readonly groups: GroupsView;
  readonly group: GroupView;
  readonly histograms: readonly Histogram[];
  readonly names: NamesView;
  readonly episode: EpisodeView;
  readonly spans: SpansView;
  readonly call: CallView;
  readonly timeline: TimelineView;
  readonly tokens: TokensView;
  readonly token: TokenDetail;
  readonly strip: StripView;
  readonly find: FindView;
  readonly compare: CompareView;
  readonly source: SourceView;
  readonly show: ShownView;
  readonly debug: DebugView;
  readonly lines: LinesView;
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
