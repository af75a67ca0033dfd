/**
 * What a run's trace holds, as its writer gives it and its readers get it. The file's layout is the trace store's own
 * business; token arrays cross as typed arrays here and as plain numbers on wires of JSON.
 */
import type { ErrorReport } from '../base/errors.ts';
import type { EpisodeResult } from './run.ts';
import type { Selection } from './selection.ts';

/** Whose tokenizer counted: only with `exact` are ids and lengths those of training. */
export interface TokenizerNote {
  /** e.g. `Qwen/Qwen2.5-7B`, or `embedded`. */
  readonly name: string;
  /** False: the embedded one stood in, so ids are its own and lengths approximate. */
  readonly exact: boolean;
  /** Where it was read from, absolute; null for the embedded one. */
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
  /** `ajet.rollout.max_response_length_in_one_turn`. */
  readonly turnLength: number;
}

/** What of the config decides which calls merge into one timeline. */
export interface MergeRules {
  /** `ajet.context_tracker.timeline_merging_policy.timeline_compare_level`. */
  readonly compareLevel: 'text' | 'token';
  /** `ajet.context_tracker.timeline_merging_policy.ignore_tools`. */
  readonly ignoreTools: boolean;
}

/** What of the config decides which of a run's samples training takes. */
export interface BatchRules {
  /** `ajet.rollout.multi_turn.max_sample_per_task`: of one episode, whatever the key says. */
  readonly perEpisode: number;
  /** The run's. */
  readonly seed: number;
}

/** A run, as known when its first episode starts. */
export interface TracedRun {
  readonly experiment: string;
  /** The config file, absolute, and its text as it was. */
  readonly config: string;
  readonly configText: string;
  readonly workflow: string;
  readonly workflowFile: string;
  /** e.g. `embedded (seed 12345)`. */
  readonly model: string;
  /** As the config names it; absent: it names none. */
  readonly judge?: string | undefined;
  readonly tokenizer: TokenizerNote;
  readonly limits: LengthLimits;
  readonly merging: MergeRules;
  /** Absent in traces of earlier versions. */
  readonly batch?: BatchRules;
  readonly tasks: number;
  readonly repeat: number;
  readonly episodes: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

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
  /** The reply's position; null: the call was not answered, or is not tracked. */
  readonly reply: number | null;
  /** Tokens of the whole prompt by the chat template, the header of the reply included. */
  readonly promptTokens: number;
  /** Tokens of the reply that the model made. */
  readonly replyTokens: number;
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
  readonly tokenizer: TokenizerNote;
  /** Null: the trace is of a version that did not keep them. */
  readonly rules: BatchRules | null;
  /** Episodes per task. */
  readonly repeat: number;
  /** Of the episodes that ended, in order of their numbers. */
  readonly results: readonly EpisodeResult[];
}

/** What an episode's end adds. */
export interface TracedEpisodeEnd {
  readonly result: EpisodeResult;
  /** Absent where the workflow returned nothing, or nothing that JSON can hold. */
  readonly returned?: TracedReturn | undefined;
  readonly timelines: readonly TracedTimeline[];
}

export interface TracedRunEnd {
  readonly status: 'completed' | 'cancelled' | 'failed';
  readonly error: ErrorReport | null;
  /** Of an oversampled rollout. */
  readonly selection?: readonly Selection[] | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number;
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
  /** Ends the trace and leaves one file. */
  runEnded(end: TracedRunEnd): void;
}
