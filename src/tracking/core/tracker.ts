import type { EpisodeTracking } from './records/episodeResult.ts';
import type { LengthLimits, MergeRules } from './records/tracedRun.ts';
import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import type { ExcludedMessage } from './messages.ts';
import type { MadnessOptions } from './madness.ts';
import type { TrainingSample } from './samples.ts';
import type { ModelText } from './tokenizer.ts';

/** The settings that decide how calls become timelines. */
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
  /** Codes of findings that do not apply to the selected trainer. Absent: all apply. */
  readonly suppressedFindings?: ReadonlySet<string>;
}

export type MergeOptions = Readonly<Pick<MergeRules, 'compareLevel' | 'ignoreTools'>>;

/** The request of a call: OpenAI messages and tools, already checked by the gateway. */
export interface BegunRequest {
  /** The position of the call in the episode, in order of arrival. Timelines and problems refer to it. */
  readonly call: number;
  /** The agent of the call. Absent: the episode has one agent. */
  readonly agent?: string;
  /** The time of arrival in milliseconds. */
  readonly startedAt: number;
  /** True if the episode was already requested to stop. */
  readonly interrupted?: boolean;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[] | null;
}

export interface TrackerRequest extends BegunRequest {
  /** The end of the reply, by the clock of `startedAt`. */
  readonly endedAt: number;
}

/** The reason why training drops a call, under the names of AgentJet. */
export type UnsafeReason = 'externally_interrupted' | 'already_mad' | 'token_overflow';

/** The result of AgentJet's check of a call before the model is called. */
export interface ContextCheck {
  /** The first reason that applies, in the order of the type. Null: the call is safe. */
  readonly unsafe: UnsafeReason | null;
  /** True if the prompt leaves no room for the longest reply, so that the model is not called. */
  readonly overflows: boolean;
}

export interface TrackerReply {
  readonly content: string | null;
  readonly toolCalls: readonly unknown[] | null;
  readonly finishReason: string | null;
  /** The tokens that the endpoint reported, in order. Null: none. */
  readonly tokens: readonly ReplyToken[] | null;
  /** True if `tokens` has the end token whenever the model generated it. llama.cpp leaves it out of streams. */
  readonly listsEnd?: boolean;
  /** The token ids of the whole prompt, if the endpoint reported them. */
  readonly promptIds?: readonly number[];
}

export interface ReplyToken {
  /** Null: the endpoint reports only the text of tokens. */
  readonly id: number | null;
  readonly bytes: readonly number[];
  /** Null: not given. */
  readonly logprob: number | null;
  /** `top_logprobs`; absent: not given. */
  readonly alternatives?: readonly ReportedAlternative[];
}

export interface ReportedAlternative extends Pick<ReplyToken, 'id' | 'bytes'> {
  readonly logprob: number;
}

export interface AddedMessage {
  readonly position: number;
  readonly message: TracedMessage;
}

export interface TrackedCall {
  /** Positions in the episode's list. Excluded messages are missing, and consecutive tool results are one. */
  readonly messages: readonly number[];
  /** The positions with the other value of `fix_retokenization_drift`. Absent: the same. */
  readonly otherMessages?: readonly number[];
  /** The messages of the request that training excludes. Absent: none. */
  readonly leftOut?: readonly ExcludedMessage[];
  /** The position of the reply; null: none. If the prompt overflows, the reply has no tokens and is in no timeline. */
  readonly reply: number | null;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** The messages that are new in the episode. */
  readonly added: readonly AddedMessage[];
}

export interface TrackedEpisode {
  readonly timelines: readonly TracedTimeline[];
  readonly added: readonly AddedMessage[];
  /** The training samples, one per timeline. */
  readonly samples: readonly TrainingSample[];
  readonly tracking: EpisodeTracking;
}

/** Tracks the calls of one episode in the order of their ends. Never throws. */
export interface EpisodeTracker {
  /** Checks a call at its start, once. `track` reuses the result. */
  begin(request: BegunRequest): ContextCheck;
  /** Adds a call at its end. Without a reply, the call failed and makes no timeline. */
  track(request: TrackerRequest, reply: TrackerReply | null): TrackedCall;
  /** Drops the calls of a failed attempt. Messages keep their positions. */
  restart(): void;
  end(): TrackedEpisode;
}
