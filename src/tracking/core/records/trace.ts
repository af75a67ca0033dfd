/**
 * What a run's trace holds, as its writer gives it and its readers get it. The file's layout is the trace store's own
 * business; token arrays cross as typed arrays here and as plain numbers on wires of JSON.
 */
import type { EpisodeResult } from './episodeResult.ts';
import type { CodeLocations, TracedRunEnd } from './tracedRun.ts';

export interface TracedEpisode {
  readonly episode: number;
  readonly uuid: string;
  readonly taskId: string;
  readonly taskIndex: number;
  readonly repeat: number;
  /** The query, or the task's metadata as JSON where it has none: what a reader recognises the task by. */
  readonly query: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** Who wrote a message's tokens, under upstream's names: only `llm` is trained. */
export type Author = 'env' | 'llm' | 'llm(do_not_train)';

/** A message of a timeline with its tokens; equal messages of an episode are one. */
export interface TracedMessage {
  readonly role: string;
  readonly author: Author;
  readonly text: string;
  /** As sent or received, JSON; null: none. */
  readonly toolCalls: string | null;
  readonly toolCallId: string | null;
  readonly tokenIds: Int32Array;
  /** One per token, NaN where there is none; null: none at all. */
  readonly logprobs: Float32Array | null;
  /** One per token: 1 counts in the loss. */
  readonly lossMask: Uint8Array;
  /** Absent: the server told none. */
  readonly alternatives?: TracedAlternatives;
}

/** For each token of a message what the model might have made there, best first: `top_logprobs` as the server told them. */
export interface TracedAlternatives {
  /** Places per token. */
  readonly width: number;
  /** `width` per token; -1: none, or a token that the tokenizer does not have. */
  readonly ids: Int32Array;
  /** `width` per token; NaN: none. */
  readonly logprobs: Float32Array;
}

/** The line of the user's code that asked for a call. */
export interface CallSource {
  /** Absolute. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number | null;
  /** Name of the function that the line is in, as the language tells it; null: it tells none. */
  readonly function: string | null;
}

/** One LLM call. Messages are positions in the episode's list of messages. */
export interface TracedCall {
  readonly episode: number;
  /** Position in the episode, in order of arrival. */
  readonly call: number;
  readonly agent: string;
  readonly tag: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly seconds: number;
  /**
   * Seconds from the request's arrival until a model was asked: reading, checking and counting it, and opening the
   * tokenizer for the first. Null: none was; absent in traces of earlier versions.
   */
  readonly askedAfter?: number | null;
  /** Seconds from the request's arrival to the first part of the answer. Null: it was not streamed by the model. */
  readonly firstAfter?: number | null;
  /** HTTP status that the client got. */
  readonly status: number;
  readonly error: string | null;
  /**
   * Everything of the request but messages and tools, JSON: sampling options, seed, stream, …. With `debug_model`, that
   * answered in place of the model being trained: such a call has no messages and is in no timeline. With `canned_reply`,
   * no model was asked, since the prompt left no room for a reply: such a call is in no timeline, either.
   */
  readonly options: string;
  /** The tools offered, JSON; null: none. */
  readonly tools: string | null;
  readonly finishReason: string | null;
  /** Of the request, in order. */
  readonly messages: readonly number[];
  /**
   * Those that the request would have by the other setting of `fix_retokenization_drift`; absent: the same, as always
   * where the engine told nothing of its prompt.
   */
  readonly otherMessages?: readonly number[];
  /** Messages of the request that training leaves out, as sent, each with how many of `messages` stand before it; absent: none. */
  readonly leftOut?: readonly { readonly before: number; readonly message: unknown }[];
  /** The reply's position; null: the call was not answered, or is not tracked. */
  readonly reply: number | null;
  /** Tokens of the whole prompt by the chat template, the header of the reply included. */
  readonly promptTokens: number;
  /** Tokens of the reply that the model made. */
  readonly replyTokens: number;
  /** Absent: it is not known. */
  readonly source?: CallSource | undefined;
}

/**
 * What an episode does beside its LLM calls, as far as the tuner has a part in it: the workflow's own `execute`, the
 * judge's `computeReward`, requests to an environment service, questions to the helper LLM; and an LLM call for as long
 * as it runs, after which it is a {@link TracedCall}.
 */
export type SpanKind = 'workflow' | 'judge' | 'environment' | 'helper' | 'call';

export interface TracedSpan {
  readonly episode: number;
  /** Position in the episode, in order of their beginnings. */
  readonly span: number;
  readonly kind: SpanKind;
  /** Of the class, the endpoint or the model; the agent of a call. */
  readonly name: string;
  /** Of an LLM call that runs: which; null: it is none. */
  readonly call: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Null: it runs. */
  readonly seconds: number | null;
  readonly error: string | null;
}

/** A token trajectory: what becomes a training sample. */
export interface TracedTimeline {
  /** Calls that were merged into it, in order. */
  readonly calls: readonly number[];
  readonly messages: readonly number[];
  readonly tokens: number;
  readonly trainableTokens: number;
}

/** What a workflow was given and what it returned, as JSON: what a judge needs to score the episode again. */
export interface TracedReturn {
  /** The `Task`. */
  readonly task: string;
  /** The `WorkflowOutput`. */
  readonly output: string;
}

/** What an episode's end adds. */
export interface TracedEpisodeEnd {
  readonly result: EpisodeResult;
  /** Absent where the workflow returned nothing, or nothing that JSON can hold. */
  readonly returned?: TracedReturn | undefined;
  readonly timelines: readonly TracedTimeline[];
  /** Those that neither an earlier episode's end nor a call of the run had; absent: none. */
  readonly tokens?: readonly TracedToken[] | undefined;
}

/** Text of token ids, by which a trace is readable without the tokenizer. */
export interface TracedToken {
  readonly id: number;
  /** UTF-8; may be a part of a character. */
  readonly bytes: Uint8Array;
  /** Of the template, such as `<|im_start|>`. */
  readonly special: boolean;
}

/**
 * Takes a run as it goes. Every method returns when the data is safe from the death of this process; what they throw
 * is a CodedError, and the run goes on without its trace.
 */
export interface TraceWriter {
  /** Absolute path of the `*.ajtrace`. */
  readonly file: string;
  episodeStarted(episode: TracedEpisode): void;
  /**
   * A span has begun, or has ended. One that is told only when it has ended is safe with what the episode writes next.
   * The end of a call ends its span.
   */
  span(span: TracedSpan): void;
  /**
   * @param messages those of the episode that are new since its last call, with their positions
   * @param tokens those that no earlier call of the run had
   */
  callEnded(
    call: TracedCall,
    messages: readonly { readonly position: number; readonly message: TracedMessage }[],
    tokens: readonly TracedToken[],
  ): void;
  /** @param messages those that only merging made */
  episodeEnded(
    end: TracedEpisodeEnd,
    messages: readonly { readonly position: number; readonly message: TracedMessage }[],
  ): void;
  /** Where the code is that scores; told once it is known, which is before the run's end. */
  codeFound(places: CodeLocations): void;
  /** Ends the trace and leaves one file. */
  runEnded(end: TracedRunEnd): void;
}
