/** The views of how calls became timelines; see traceRpc.ts. */
import * as z from 'zod/mini';

/** The settings of the config that decide which timelines calls become. */
export const mergeSetting = z.object({
  compareLevel: z.enum(['text', 'token']),
  ignoreTools: z.boolean(),
  fixesDrift: z.boolean(),
});
export type MergeSetting = z.infer<typeof mergeSetting>;

/** A parameter of requests about timelines: the setting that merges them; absent: the run's own. */
export const bySetting = { setting: z.optional(mergeSetting) };

/** The maximum number of forks and drifts of one response, and of tokens on each side. */
export const largestMerging = { forks: 200, drifts: 50, differences: 20, tokens: 48 } as const;

export interface MergingView {
  readonly own: MergeSetting;
  /** One for each setting whose result is known to differ. */
  readonly rows: readonly MergingRow[];
  /** Position of the requested setting. */
  readonly chosen: number;
  /**
   * `other`: the effect of `fix_retokenization_drift` is known; `same`: it changes nothing; `unknown`: a version of
   * AgentJet that did not store it recorded the trace.
   */
  readonly drift: 'other' | 'same' | 'unknown';
  readonly timelines: readonly MergedView[];
  /** At most {@link largestMerging.forks} of `forkCount`. */
  readonly forks: readonly ForkView[];
  readonly forkCount: number;
  /** Replies that came back with other tokens, at most {@link largestMerging.drifts} of `driftCount`. */
  readonly drifts: readonly DriftView[];
  readonly driftCount: number;
  /** True if the episode still runs. Later calls may change everything. */
  readonly provisional: boolean;
}

export interface MergingRow {
  readonly setting: MergeSetting;
  readonly timelines: number;
  /** Number of timelines that AgentJet makes a sample of, and that `max_sample_per_task` keeps. */
  readonly samples: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

export interface MergedView {
  readonly calls: readonly number[];
  /** The agents that made the calls, without duplicates. */
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
  /** The calls that end the two timelines. */
  readonly call: number;
  readonly earlierCall: number;
  readonly cause: 'agents' | 'content' | 'reply' | 'fields' | 'tools' | 'retokenized' | 'shorter';
  /** Index of the first message that differs, and the name of its field that differs. */
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

export interface TokenRun {
  /** Index of the first token in the message. */
  readonly from: number;
  readonly ids: readonly number[];
  /** Texts of the tokens, as in TokensView. */
  readonly texts: readonly string[];
  /** True if the message has more tokens after them. */
  readonly more: boolean;
}

/** A reply that came back as a message of a later request, where the chat template tokenizes it differently. */
export interface DriftView {
  readonly call: number;
  /** The first call whose request has it again, and its position there. */
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
  readonly templated: TokenRun;
}
