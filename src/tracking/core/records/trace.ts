/**
 * The content of a trace for its writers and readers, independent of the file format. Token arrays are typed arrays here
 * and plain numbers in JSON.
 */
import * as z from 'zod/mini';
import type { EpisodeResult } from './episodeResult.ts';
import type { CodeLocations, TracedRunEnd } from './tracedRun.ts';

export interface TracedEpisode {
  readonly episode: number;
  readonly uuid: string;
  readonly taskId: string;
  readonly taskIndex: number;
  readonly repeat: number;
  /** The query of the task, or its metadata as JSON if it has none. */
  readonly query: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** The author of a message, under the names of AgentJet. Only `llm` is trained. */
export const author = z.enum(['env', 'llm', 'llm(do_not_train)']);
export type Author = z.infer<typeof author>;

/** A message of a timeline with its tokens. Equal messages of an episode are stored once. */
export interface TracedMessage {
  readonly role: string;
  readonly author: Author;
  readonly text: string;
  /** The tool calls as JSON. Null: none. */
  readonly toolCalls: string | null;
  readonly toolCallId: string | null;
  readonly tokenIds: Int32Array;
  /** One per token, NaN if missing. Null: none. */
  readonly logprobs: Float32Array | null;
  /** One per token. 1: the token counts in the loss. */
  readonly lossMask: Uint8Array;
  /** Absent: the server reported none. */
  readonly alternatives?: TracedAlternatives;
}

/** The `top_logprobs` of each token of a message, with the most probable first. */
export interface TracedAlternatives {
  /** The number of alternatives per token. */
  readonly width: number;
  /** `width` ids per token. -1: none, or unknown to the tokenizer. */
  readonly ids: Int32Array;
  /** `width` logprobs per token. NaN: none. */
  readonly logprobs: Float32Array;
}

/** The line of user code that made a call. */
export const callSource = z.object({
  /** Absolute, or as a trace names it. */
  file: z.string(),
  /** From 1. */
  line: z.number(),
  column: z.nullable(z.number()),
  /** The name of the enclosing function. Null: unknown. */
  function: z.nullable(z.string()),
});
export type CallSource = z.infer<typeof callSource>;

/** An LLM call without its request. */
export const callRecord = z.object({
  /** Position in the episode, in order of arrival. */
  call: z.number(),
  agent: z.string(),
  tag: z.string(),
  /** Milliseconds since the Unix epoch. */
  startedAt: z.number(),
  seconds: z.number(),
  /** The HTTP status of the response. */
  status: z.number(),
  error: z.nullable(z.string()),
  finishReason: z.nullable(z.string()),
  /** The position of the reply. Null: the call failed or is not tracked. */
  reply: z.nullable(z.number()),
  /** The tokens of the whole prompt with the header of the reply. */
  promptTokens: z.number(),
  /** The tokens that the model generated. */
  replyTokens: z.number(),
  /** Seconds until the model was called; the first call's include the tokenizer's load. Null: not called, or unknown. */
  askedAfter: z.nullable(z.number()),
  /** Seconds from the arrival of the request to the first chunk of the reply. Null: it was not streamed, or it is unknown. */
  firstAfter: z.nullable(z.number()),
});
export type CallRecord = z.infer<typeof callRecord>;

/** An LLM call. Its messages are positions in the list of the episode. */
export interface TracedCall
  extends
    Omit<CallRecord, 'askedAfter' | 'firstAfter'>,
    Partial<Pick<CallRecord, 'askedAfter' | 'firstAfter'>> {
  readonly episode: number;
  /**
   * The fields of the request without messages and tools, as JSON. `debug_model`: that model replaced the trained one, so
   * the call has no messages and is in no timeline. `canned_reply`: the prompt left no room for a reply, so no model was
   * called, and the call is in no timeline.
   */
  readonly options: string;
  /** The tools of the request as JSON. Null: none. */
  readonly tools: string | null;
  readonly messages: readonly number[];
  /** The messages with the other value of `fix_retokenization_drift`. Absent: the same. */
  readonly otherMessages?: readonly number[];
  /** The excluded messages as sent, each with the number of `messages` before it. Absent: none. */
  readonly leftOut?: readonly { readonly before: number; readonly message: unknown }[];
  /** Absent: unknown. */
  readonly source?: CallSource | undefined;
}

/** A part of an episode that takes time. */
export const spanRecord = z.object({
  /** The position in the episode, in order of the starts. */
  span: z.number(),
  /**
   * - `workflow`: `execute` of the workflow
   * - `judge`: `computeReward` of the judge
   * - `environment`: a request to an environment service
   * - `helper`: a request to the helper LLM
   * - `call`: a running LLM call. An LLM call that has ended is a {@link TracedCall}.
   * - `tool`: a tool call that another program measured; only in imported traces
   */
  kind: z.enum(['workflow', 'judge', 'environment', 'helper', 'call', 'tool']),
  /** The name of the class, endpoint, model or tool, or the agent of a call. */
  name: z.string(),
  /** The number of a running LLM call. Null: not an LLM call. */
  call: z.nullable(z.number()),
  /** Milliseconds since the Unix epoch. */
  startedAt: z.number(),
  /** Null: still running. */
  seconds: z.nullable(z.number()),
  error: z.nullable(z.string()),
});
export type SpanRecord = z.infer<typeof spanRecord>;
export type SpanKind = SpanRecord['kind'];

export interface TracedSpan extends SpanRecord {
  readonly episode: number;
}

/** A merged token sequence, which becomes a training sample. */
export interface TracedTimeline {
  /** The merged calls, in order. */
  readonly calls: readonly number[];
  readonly messages: readonly number[];
  readonly tokens: number;
  readonly trainableTokens: number;
}

/** The input and output of a workflow as JSON. A judge needs them to score the episode again. */
export interface TracedReturn {
  /** The `Task`. */
  readonly task: string;
  /** The `WorkflowOutput`. */
  readonly output: string;
}

/** The standard output and error of an episode's code, in order. */
export const printedOutput = z.object({
  /** The number of characters that were cut from the beginning. */
  cut: z.number(),
  parts: z.array(z.object({ stream: z.enum(['stdout', 'stderr']), text: z.string() })),
});
export type PrintedOutput = z.infer<typeof printedOutput>;

export interface TracedEpisodeEnd {
  readonly result: EpisodeResult;
  /** Absent if the workflow returned nothing, or a value that is not JSON. */
  readonly returned?: TracedReturn | undefined;
  readonly timelines: readonly TracedTimeline[];
  /** Absent: nothing was printed. */
  readonly printed?: PrintedOutput | undefined;
  /** The tokens that are new in the run. Absent: none. */
  readonly tokens?: readonly TracedToken[] | undefined;
}

/** The text of a token, so that a trace is readable without the tokenizer. */
export interface TracedToken {
  readonly id: number;
  /** UTF-8, possibly a part of a character. */
  readonly bytes: Uint8Array;
  /** True for a token of the template, such as `<|im_start|>`. */
  readonly special: boolean;
}

/** The range of ratios outside of which the loss of a training is clipped. */
export interface ClipRange {
  readonly low: number;
  readonly high: number;
}

/** The use of a timeline in training. */
export interface TimelineTraining {
  /** The advantage of each of its trained tokens, without the KL term. */
  readonly advantage: number;
  /** Null: the loss is not clipped. */
  readonly clip: ClipRange | null;
}

/** The use of a timeline in training, with numbers for each token. Tokens after the last number have none. */
export interface TracedTraining extends TimelineTraining {
  readonly episode: number;
  readonly timeline: number;
  /** The log probabilities when the trainer first used the tokens. NaN: the token is not trained. */
  readonly logprobs: Float32Array;
  /** Those of the base model. Null: the training does not compare with it. */
  readonly baseLogprobs: Float32Array | null;
}

/** Writes the trace of a run. A method returns when its data survives this process, and throws only CodedErrors. */
export interface TraceWriter {
  /** Absolute path of the `*.ajtrace`. */
  readonly file: string;
  episodeStarted(episode: TracedEpisode): void;
  /** Writes a span that started or ended; a short one with the episode's next write. The end of a call ends its span. */
  span(span: TracedSpan): void;
  /**
   * @param messages the messages that are new since the last call of the episode, with their positions
   * @param tokens the tokens that are new in the run
   */
  callEnded(
    call: TracedCall,
    messages: readonly { readonly position: number; readonly message: TracedMessage }[],
    tokens: readonly TracedToken[],
  ): void;
  /** @param messages the messages that merging created */
  episodeEnded(
    end: TracedEpisodeEnd,
    messages: readonly { readonly position: number; readonly message: TracedMessage }[],
  ): void;
  /** Writes what training did with the timelines of ended episodes. Of several for one timeline, the first is written. */
  trained(timelines: readonly TracedTraining[]): void;
  /** Writes the locations of the workflow and the judge, before the end of the run. */
  codeFound(places: CodeLocations): void;
  /** Ends the trace and leaves one file. */
  runEnded(end: TracedRunEnd): void;
}
