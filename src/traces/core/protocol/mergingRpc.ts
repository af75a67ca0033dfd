/** The views of how calls became timelines; see traceRpc.ts. */
import * as z from 'zod/mini';

/** The settings of the config that decide which timelines calls become. */
export const mergeSetting = z.object({
  compareLevel: z.enum(['text', 'token']),
  ignoreTools: z.boolean(),
  fixesDrift: z.boolean(),
});
export type MergeSetting = z.infer<typeof mergeSetting>;

/** A parameter of requests about timelines: the setting that would have given them; absent: the run's own. */
export const bySetting = { setting: z.optional(mergeSetting) };

/** Forks and drifts of one answer, and tokens on a side of either, at most. */
export const largestMerging = { forks: 200, drifts: 50, differences: 20, tokens: 48 } as const;

export interface MergingView {
  readonly own: MergeSetting;
  /** One for each setting whose result is known to differ. */
  readonly rows: readonly MergingRow[];
  /** Position of the setting that was asked for. */
  readonly chosen: number;
  /**
   * `other`: what `fix_retokenization_drift` would change is known; `same`: it changes nothing; `unknown`: the trace is
   * of a version that kept nothing of it.
   */
  readonly drift: 'other' | 'same' | 'unknown';
  readonly timelines: readonly MergedView[];
  /** At most {@link largestMerging.forks} of `forkCount`. */
  readonly forks: readonly ForkView[];
  readonly forkCount: number;
  /** Replies that came back in other tokens; at most {@link largestMerging.drifts} of `driftCount`. */
  readonly drifts: readonly DriftView[];
  readonly driftCount: number;
  /** The episode still runs: later calls may change all of it. */
  readonly provisional: boolean;
}

export interface MergingRow {
  readonly setting: MergeSetting;
  readonly timelines: number;
  /** Timelines that AgentJet makes a sample of, and `max_sample_per_task` leaves. */
  readonly samples: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

export interface MergedView {
  readonly calls: readonly number[];
  /** Who asked, each once. */
  readonly agents: readonly string[];
  readonly messages: number;
  readonly tokens: number;
  readonly trainableTokens: number;
  /** The earlier timeline that it shares the longest start with, and with how many messages; null: the first has none. */
  readonly parent: { readonly timeline: number; readonly messages: number } | null;
}

/** The reason why a timeline is separate; see `ForkCause` in tracking. */
export interface ForkView {
  readonly timeline: number;
  readonly earlier: number;
  /** The calls that end either. */
  readonly call: number;
  readonly earlierCall: number;
  readonly cause: 'agents' | 'content' | 'reply' | 'fields' | 'tools' | 'retokenized' | 'shorter';
  /** Index of the first message that differs, and what of it does, under the names of a request. */
  readonly message: number;
  readonly field: 'role' | 'content' | 'tool_calls' | 'tool_call_id' | 'tokens' | 'tools' | 'messages';
  readonly before: ForkSideView | null;
  readonly now: ForkSideView | null;
  /** Index of the first token that differs in the message; null: none does. */
  readonly token: number | null;
}

export interface ForkSideView {
  readonly role: string;
  /** The field that differs, cut to where it does. */
  readonly text: string;
  readonly tokens: TokenRun;
}

/** Some tokens of a message, one after the other. */
export interface TokenRun {
  /** Index of the first in the message. */
  readonly from: number;
  readonly ids: readonly number[];
  /** Texts of the tokens, as in TokensView. */
  readonly texts: readonly string[];
  /** True if the message has more tokens after them. */
  readonly more: boolean;
}

/** A reply that came back as a message of a later request, where the chat template makes other tokens of it. */
export interface DriftView {
  /** The call that the reply belongs to. */
  readonly call: number;
  /** The first whose request has it again, and where. */
  readonly again: number;
  readonly message: number;
  /** At most {@link largestMerging.differences} of `differenceCount`. */
  readonly differences: readonly DriftDifference[];
  readonly differenceCount: number;
}

export interface DriftDifference {
  readonly sameText: boolean;
  /** The model's tokens. */
  readonly made: TokenRun;
  /** The template's tokens for it. */
  readonly templated: TokenRun;
}
