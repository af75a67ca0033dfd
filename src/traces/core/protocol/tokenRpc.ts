/** What is asked and answered about single tokens, and about two timelines beside each other; see traceRpc.ts. */
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

/** Who wrote a token: the chat template what it puts around a message, else who wrote the message. */
export type TokenAuthor = 'template' | Author;

/** One token of a timeline, with what is too much to tell of all of them. */
export interface TokenDetail {
  readonly token: number;
  readonly id: number;
  /** As `TokensView.texts` has it. */
  readonly text: string;
  readonly bytes: readonly number[];
  readonly logprob: number | null;
  /** Position of its message in the timeline, and its own among the tokens of the message. */
  readonly message: number;
  readonly inMessage: number;
  /** `made`: the call's reply has it; `sent`: the first call of the timeline that had it in its request. */
  readonly call: { readonly call: number; readonly how: 'made' | 'sent' } | null;
  /** 1: none was likelier; null: no alternatives were told, or it is not among them. */
  readonly rank: number | null;
  /** Best first; the token itself is among them where the server said so. */
  readonly alternatives: readonly TokenAlternative[];
  /** What the chat template makes of the text in its place; null: the same. */
  readonly drift: TokenDrift | null;
}

export interface TokenAlternative {
  /** Null: the tokenizer does not have it, so neither is its text known. */
  readonly id: number | null;
  readonly text: string;
  readonly logprob: number;
}

export interface TokenDrift {
  readonly ids: readonly number[];
  readonly text: string;
  /** How many tokens of the message stand for them. */
  readonly made: number;
}

/** Parallel arrays, one entry per stretch of the timeline, each of `size` tokens but the last. */
export interface StripView {
  readonly total: number;
  readonly size: number;
  /** Share of its tokens that count in the loss. */
  readonly trained: readonly number[];
  /** Who wrote most of it. */
  readonly authors: readonly TokenAuthor[];
  /** The lowest, which a mean would hide; null: none has one. */
  readonly logprobs: readonly (number | null)[];
  /** The highest. */
  readonly entropies: readonly (number | null)[];
  readonly drifted: readonly (0 | 1)[];
}

export interface FindView {
  /** Tokens that a match stands in, in order, at most `largestWindow.matches`. */
  readonly matches: readonly { readonly from: number; readonly end: number }[];
  /** Token to go on from; null: the timeline was searched to its end. */
  readonly next: number | null;
}

/** Messages that stand beside each other. */
export interface CompareRow {
  /** `left` and `right`: only that side has it. */
  readonly kind: 'same' | 'changed' | 'left' | 'right';
  readonly role: string;
  readonly left: ComparedRange | null;
  readonly right: ComparedRange | null;
  /** Whether only the tokens differ, not what they say. */
  readonly sameText: boolean;
  /** Where the tokens differ, four numbers each: from and end of the left message's tokens, and of the right one's. */
  readonly hunks: readonly number[];
}

export interface ComparedRange {
  /** Position in its timeline. */
  readonly message: number;
  readonly firstToken: number;
  readonly tokens: number;
}

/** The first token that differs: its position is the same in both. */
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
  /** How likely the other side's token was here; null: the server did not tell. */
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
   * Text of each token. A character that spans tokens stands whole in the last of them, the earlier ones are "";
   * bytes that are no UTF-8 are U+FFFD.
   */
  readonly texts: readonly string[];
  readonly special: readonly boolean[];
  readonly lossMask: readonly (0 | 1)[];
  /** Null: the endpoint gave none. */
  readonly logprobs: readonly (number | null)[];
  /** Position of the token's message in the timeline. */
  readonly messages: readonly number[];
  readonly authors: readonly TokenAuthor[];
  /** 1: the chat template makes another of the text, so the model sees another once the reply comes back. */
  readonly drifted: readonly (0 | 1)[];
  /** In nats, at least so much; null: the server told no alternatives. */
  readonly entropies: readonly (number | null)[];
}

export interface CompareView {
  readonly left: CompareSide;
  readonly right: CompareSide;
  readonly rows: readonly CompareRow[];
  /** Whether something differs too much for a smallest difference: then more is told to differ than does. */
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
