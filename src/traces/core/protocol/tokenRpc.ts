/** Requests and results about single tokens and comparisons of two timelines; see traceRpc.ts. */
import * as z from 'zod/mini';
import type { TimelineRow } from './episodeRpc.ts';
import type { Author } from '../../../tracking/core/records/trace.ts';
import type { EpisodeRow } from './traceLists.ts';

const count = z.int().check(z.gte(0));

/** A query of a token search: text, regular expression or token id. */
export const wanted = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), matchCase: z.boolean() }),
  z.object({ kind: z.literal('pattern'), text: z.string(), matchCase: z.boolean() }),
  z.object({ kind: z.literal('id'), id: z.int() }),
]);
export type TokenQuery = z.infer<typeof wanted>;

/** A timeline of a trace; null: the one with the most trained tokens. */
export const comparedTrace = z.object({ trace: z.string(), episode: count, timeline: z.nullable(count) });
export type ComparedTrace = z.infer<typeof comparedTrace>;

/** `template`: the chat template puts the token around a message. Otherwise the author of the message. */
export type TokenAuthor = 'template' | Author;

/** One token of a timeline, with details that are too large for a list. */
export interface TokenDetail {
  readonly token: number;
  readonly id: number;
  /** The same as in `TokensView.texts`. */
  readonly text: string;
  readonly bytes: readonly number[];
  readonly logprob: number | null;
  /** Position of its message in the timeline, and of the token in the message. */
  readonly message: number;
  readonly inMessage: number;
  /** `made`: the call's reply has it; `sent`: the first call of the timeline that had it in its request. */
  readonly call: { readonly call: number; readonly how: 'made' | 'sent' } | null;
  /** 1: no token was more likely; null: no alternatives were recorded, or the token is not among them. */
  readonly rank: number | null;
  /** Most likely first. The token itself is among them if the server included it. */
  readonly alternatives: readonly TokenAlternative[];
  /** The chat template's version of the text at this position; null: the same. */
  readonly drift: TokenDrift | null;
}

export interface TokenAlternative {
  /** Null: the tokenizer does not have it, so its text is unknown, too. */
  readonly id: number | null;
  readonly text: string;
  readonly logprob: number;
}

export interface TokenDrift {
  readonly ids: readonly number[];
  readonly text: string;
  /** The number of tokens of the message that correspond to them. */
  readonly made: number;
}

/** Parallel arrays, one entry per section of the timeline. Each section has `size` tokens, except the last. */
export interface StripView {
  readonly total: number;
  readonly size: number;
  /** Share of its tokens that count in the loss. */
  readonly trained: readonly number[];
  /** The author of most tokens. */
  readonly authors: readonly TokenAuthor[];
  /** The lowest, which a mean would hide; null: no token has one. */
  readonly logprobs: readonly (number | null)[];
  /** The highest. */
  readonly entropies: readonly (number | null)[];
  readonly drifted: readonly (0 | 1)[];
  /** Ratios that are farthest from 1, and the highest KL divergences. Null: no training used the timeline. */
  readonly trainer: Omit<TrainerTokens, 'logprobs'> | null;
}

export interface FindView {
  /** Token ranges that contain a match, in order, at most `largestWindow.matches`. */
  readonly matches: readonly { readonly from: number; readonly end: number }[];
  /** The token to continue from; null: the timeline was searched to its end. */
  readonly next: number | null;
}

export interface CompareRow {
  /** `left` and `right`: only that side has it. */
  readonly kind: 'same' | 'changed' | 'left' | 'right';
  readonly role: string;
  readonly left: ComparedRange | null;
  readonly right: ComparedRange | null;
  /** True if only the tokens differ, and the texts are equal. */
  readonly sameText: boolean;
  /** Four numbers for each range that differs: start and end in the left message, then in the right one. */
  readonly hunks: readonly number[];
}

export interface ComparedRange {
  readonly message: number;
  readonly firstToken: number;
  readonly tokens: number;
}

/** The first token that differs. It has the same position in both. */
export interface Divergence {
  readonly token: number;
  /** Null: that timeline ends there. */
  readonly left: ComparedToken | null;
  readonly right: ComparedToken | null;
}

export interface ComparedToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number | null;
  readonly message: number;
  readonly inMessage: number;
  /** The log probability of the other side's token at this position; null: the server did not record it. */
  readonly otherLogprob: number | null;
}

export interface RewardPart {
  readonly name: string;
  readonly left: number | null;
  readonly right: number | null;
}

/** Parallel arrays, one entry per token. */
export interface TokensView {
  readonly from: number;
  readonly total: number;
  readonly ids: readonly number[];
  /**
   * Text of each token. A character that spans several tokens is in the last of them, and the earlier ones are "".
   * Bytes that are not UTF-8 are U+FFFD.
   */
  readonly texts: readonly string[];
  readonly special: readonly boolean[];
  readonly lossMask: readonly (0 | 1)[];
  /** Null: the endpoint sent none. */
  readonly logprobs: readonly (number | null)[];
  /** Position of the token's message in the timeline. */
  readonly messages: readonly number[];
  readonly authors: readonly TokenAuthor[];
  /** 1: the chat template tokenizes it differently, so the model sees another token in later requests. */
  readonly drifted: readonly (0 | 1)[];
  /** A lower bound in nats; null: the server sent no alternatives. */
  readonly entropies: readonly (number | null)[];
  /** Null: no training used the timeline. */
  readonly trainer: TrainerTokens | null;
}

/** Parallel arrays, one entry per token. Null: the token is not trained. */
export interface TrainerTokens {
  readonly logprobs: readonly (number | null)[];
  /** The probability under the trained weights over that of the sampler. */
  readonly ratios: readonly (number | null)[];
  /** In nats, against the base model. Null: the training does not compare with it. */
  readonly kls: readonly (number | null)[];
}

export interface CompareView {
  readonly left: CompareSide;
  readonly right: CompareSide;
  readonly rows: readonly CompareRow[];
  /** True if something differs too much for a minimal difference. Then more is marked than differs. */
  readonly coarse: boolean;
  readonly divergence: Divergence | null;
  readonly rewards: readonly RewardPart[];
}

export interface CompareSide {
  readonly experiment: string;
  readonly tokenizer: string;
  readonly row: EpisodeRow;
  /** Null: the episode has none. */
  readonly timeline: number | null;
  readonly timelines: readonly TimelineRow[];
  readonly tokens: number;
}
