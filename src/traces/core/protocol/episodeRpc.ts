/** Results about an episode, its calls, timelines and messages; see traceRpc.ts. */
import * as z from 'zod/mini';
import type {
  CallSource,
  SpanKind,
  Author,
  CallRecord,
  PrintedOutput,
  TimelineTraining,
} from '../../../tracking/core/records/trace.ts';
import type { EpisodeRow } from './traceLists.ts';
import { bySetting } from './mergingRpc.ts';

export const count = z.int().check(z.gte(0));
export const trace = z.string();

/** The call or timeline that the messages belong to. */
export const conversation = z.discriminatedUnion('kind', [
  /** A call's request and, last, its reply. */
  z.object({ kind: z.literal('call'), call: count }),
  z.object({ kind: z.literal('timeline'), timeline: count, ...bySetting }),
]);
export type Conversation = z.infer<typeof conversation>;

/** The maximum number of base64 characters of one response. */
export const largestBinary = 1_048_576;

export interface MessageView {
  /** Position in the call's or timeline's messages. */
  readonly index: number;
  readonly role: string;
  readonly author: Author;
  /** At most `largestWindow.listed` characters, of `length`. */
  readonly text: string;
  readonly length: number;
  readonly truncated: boolean;
  /** JSON; null: none. */
  readonly toolCalls: string | null;
  readonly toolCallId: string | null;
  /** The number of tokens, and where they start in the timeline. */
  readonly firstToken: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

/** A character of two units is never split, so a part may have one unit more than requested. */
export interface TextView {
  readonly from: number;
  readonly text: string;
  /** The length of the whole text. */
  readonly length: number;
}

export interface FoundText {
  /** Index of the message; a call's reply comes after its request. */
  readonly message: number;
  readonly field: 'text' | 'toolCalls';
  /** The offset in the field, in characters. */
  readonly at: number;
  readonly length: number;
}

export interface SearchView {
  /** In order, at most `largestWindow.matches`. */
  readonly matches: readonly FoundText[];
  readonly more: boolean;
}

export interface ExcludedMessage {
  /** The number of the call's messages before it. */
  readonly before: number;
  readonly role: string;
  readonly parts: readonly SentPart[];
}

/** A part of a message's content, as sent. */
export type SentPart =
  /** At most `largestWindow.listed` characters, of `length`. */
  | { readonly kind: 'text'; readonly text: string; readonly length: number }
  /** Stored data; `size` in characters of base64. */
  | { readonly kind: 'data'; readonly type: string; readonly hash: number; readonly size: number }
  | { readonly kind: 'address'; readonly address: string }
  /** JSON of a part of another kind. */
  | { readonly kind: 'other'; readonly json: string };

export interface BinaryView {
  readonly from: number;
  readonly base64: string;
  /** The length of the whole text. */
  readonly length: number;
}

export interface CallRow extends Omit<CallRecord, 'reply'> {
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
  /** Absent: no training used it. */
  readonly training?: TimelineTraining;
}

export interface EpisodeView {
  readonly row: EpisodeRow;
  readonly calls: readonly CallRow[];
  readonly timelines: readonly TimelineRow[];
}

/** A text that a workflow returned, or that its task has. */
export interface OutcomeText {
  readonly name: string;
  /** At most `largestWindow.listed` characters. */
  readonly text: string;
}

export interface OutcomeView {
  /** Null: there is no reward. */
  readonly scoredBy: 'workflow' | 'judge' | null;
  /** The last run of the judge; null: none. `seconds` null: it still runs. */
  readonly judge: {
    readonly name: string;
    readonly seconds: number | null;
    readonly error: string | null;
  } | null;
  /** The numbers that explain the reward. */
  readonly parts: readonly { readonly name: string; readonly value: number }[];
  readonly attempts: number;
  /** The response and metadata of the workflow, with the answer first. */
  readonly output: readonly OutcomeText[];
  /** The expected answer of the task, if a name in its metadata says so. */
  readonly reference: readonly OutcomeText[];
  /** The output of the code; null: none. */
  readonly printed: PrintedOutput | null;
  /** Calls that debug models answered. They are not trained. */
  readonly untrained: readonly { readonly model: string; readonly calls: number }[];
}

/** A span of an episode other than an ended LLM call: a tool call, a judge call or a running LLM call. */
export interface SpanRow {
  /** `tool`: a tool of the workflow, bounded by calls if the trace has no measured one; see `spans.ts`. */
  readonly kind: SpanKind;
  readonly name: string;
  /** The agent whose reply calls the tool; null: the span is not a tool call. */
  readonly agent: string | null;
  /** The running call, or the call whose reply calls the tool. */
  readonly call: number | null;
  readonly answeredBy: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Null: the span has no end; see the state. */
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
  /** The line of the user's code that made the call; null: unknown. */
  readonly source: CallSource | null;
  /** JSON, see TracedCall; both cut at `largestWindow.json` characters. */
  readonly options: string;
  readonly tools: string | null;
  readonly messages: readonly MessageView[];
  readonly reply: MessageView | null;
}

export interface TimelineView {
  readonly row: TimelineRow;
  /** The advantage that training used, else that of the episode. It is that of each trained token. */
  readonly advantage: number | null;
  /** True if the token ids are those of training; drift is known only then. */
  readonly exact: boolean;
  readonly messages: readonly MessageView[];
}
