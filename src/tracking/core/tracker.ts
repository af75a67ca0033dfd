import type { EpisodeTracking } from './records/episodeResult.ts';
import type { LengthLimits } from './records/tracedRun.ts';
import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import type { ExcludedMessage } from './leftOut.ts';
import type { MadnessOptions } from './madness.ts';
import type { ModelText } from './tokenizer.ts';

/** What of the config decides how calls become timelines. */
export interface TrackerOptions {
  readonly text: ModelText;
  readonly limits: LengthLimits;
  /** `ajet.rollout.force_disable_toolcalls`. */
  readonly toolCallsDisabled: boolean;
  /** `ajet.context_tracker.fix_retokenization_drift`. */
  readonly fixesDrift: boolean;
  /** `ajet.context_tracker.detect_timeline_snap`. */
  readonly detectsSnaps: boolean;
  readonly merging: MergeOptions;
  readonly madness: MadnessOptions;
  /** Codes of findings that the program which trains has no rule for; absent: it has all of them. */
  readonly suppressedFindings?: ReadonlySet<string>;
}

/** `ajet.context_tracker.…`. */
export interface MergeOptions {
  readonly compareLevel: 'text' | 'token';
  readonly ignoreTools: boolean;
}

/** A call's request as the model gets it: OpenAI messages and tools, already checked by the gateway. */
export interface BegunRequest {
  /** The call's position in the episode, in order of arrival: what timelines and problems name it by. */
  readonly call: number;
  /** Who asked; absent: the episode has one agent. */
  readonly agent?: string;
  /** When it came, in milliseconds. */
  readonly startedAt: number;
  /** Whether the episode had been told to stop when it came. */
  readonly interrupted?: boolean;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[] | null;
}

export interface TrackerRequest extends BegunRequest {
  /** When its answer was over, by the clock of `startedAt`. */
  readonly endedAt: number;
}

/** Why training keeps nothing of a call, under upstream's names. */
export type UnsafeReason = 'externally_interrupted' | 'already_mad' | 'token_overflow';

/** Upstream's check of a call before the model is asked. */
export interface ContextCheck {
  /** The first that holds, in the order of the type; null: the call is safe. */
  readonly unsafe: UnsafeReason | null;
  /** Whether the prompt leaves no room for the longest reply, so that the model is not asked, whatever else holds. */
  readonly overflows: boolean;
}

export interface TrackerReply {
  readonly content: string | null;
  readonly toolCalls: readonly unknown[] | null;
  readonly finishReason: string | null;
  /** What the endpoint told of its tokens, in order; null: nothing. */
  readonly tokens: readonly ReplyToken[] | null;
  /** Ids of the whole prompt, where the endpoint told them. */
  readonly promptIds?: readonly number[];
}

export interface ReplyToken {
  /** Null: the endpoint names tokens by their text only. */
  readonly id: number | null;
  readonly bytes: readonly number[];
  /** Null: not given. */
  readonly logprob: number | null;
  /** `top_logprobs`; absent: not given. */
  readonly alternatives?: readonly ReportedAlternative[];
}

/** A token that might have come instead, as an endpoint tells it. */
export interface ReportedAlternative {
  readonly id: number | null;
  readonly bytes: readonly number[];
  readonly logprob: number;
}

export interface AddedMessage {
  readonly position: number;
  readonly message: TracedMessage;
}

export interface TrackedCall {
  /**
   * Positions of the request's messages in the episode's list, as training takes them: what it leaves out is not
   * there, and tool results in a row are one message.
   */
  readonly messages: readonly number[];
  /** Those that it would have by the other setting of `fix_retokenization_drift`; absent: the same. */
  readonly otherMessages?: readonly number[];
  /** Messages of the request that training leaves out; absent: none. */
  readonly leftOut?: readonly ExcludedMessage[];
  /** Null: the call was not answered. Where the prompt overflows, it has no tokens and is in no timeline. */
  readonly reply: number | null;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** Messages that the episode did not have before. */
  readonly added: readonly AddedMessage[];
}

export interface TrackedEpisode {
  readonly timelines: readonly TracedTimeline[];
  /** Messages that only merging made. */
  readonly added: readonly AddedMessage[];
  readonly tracking: EpisodeTracking;
}

/** Follows one episode: every call in the order in which the calls ended, then the end. Never throws. */
export interface EpisodeTracker {
  /** Checks a call that begins, once; what it works out, `track` goes on from. */
  begin(request: BegunRequest): ContextCheck;
  /** @param reply null: the call was not answered; it makes no timeline */
  track(request: TrackerRequest, reply: TrackerReply | null): TrackedCall;
  /** Forgets the calls so far: they are of an attempt that failed, and training begins anew. Messages keep their positions. */
  restart(): void;
  end(): TrackedEpisode;
}
