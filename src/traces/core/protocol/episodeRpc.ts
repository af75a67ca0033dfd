/** What is answered about an episode, its calls and its timelines; see traceRpc.ts. */
import type { MessageView } from './conversationRpc.ts';
import type { CallSource, SpanKind } from '../../../tracking/core/records/trace.ts';
import type { EpisodeRow } from './traceLists.ts';

export interface CallRow {
  readonly call: number;
  readonly agent: string;
  readonly tag: string;
  readonly startedAt: number;
  readonly seconds: number;
  /** Seconds from its beginning until a model was asked; null: none was, or the trace does not tell. */
  readonly askedAfter: number | null;
  /** Seconds from its beginning to the first part of the answer; null: it was not streamed, or the trace does not tell. */
  readonly firstAfter: number | null;
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

/** What an episode did beside its LLM calls, or an LLM call that has not ended. */
export interface SpanRow {
  /** `tool`: of the workflow's, bounded by calls, see `trace/spans.ts`; the others are measured. */
  readonly kind: SpanKind | 'tool';
  readonly name: string;
  /** Whose reply calls the tool; null: it is no tool. */
  readonly agent: string | null;
  /** Of a call that runs: which; of a tool: the one whose reply calls it. */
  readonly call: number | null;
  /** The call whose request has the tool's answer. */
  readonly answeredBy: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Null: it has no end, see the state. */
  readonly seconds: number | null;
  /** `lost`: the process died while it ran. `unanswered`: no request has the tool's answer. */
  readonly state: 'ended' | 'running' | 'unanswered' | 'lost';
  readonly error: string | null;
}

export interface SpansView {
  /** In order of their beginnings. */
  readonly spans: readonly SpanRow[];
}

export interface CallView {
  readonly row: CallRow;
  /** The line of the user's code that asked; null: it is not known. */
  readonly source: CallSource | null;
  /** JSON, see TracedCall; both cut at `largestWindow.json` characters. */
  readonly options: string;
  readonly tools: string | null;
  readonly messages: readonly MessageView[];
  readonly reply: MessageView | null;
}

export interface TimelineView {
  readonly row: TimelineRow;
  /** Of the episode, and so of each of its trained tokens. */
  readonly advantage: number | null;
  /** Whether the ids are those of training: only then drift is told. */
  readonly exact: boolean;
  readonly messages: readonly MessageView[];
}
