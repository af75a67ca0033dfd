/** What a viewer asks about messages, and is answered; a part of the trace's requests. */
import * as z from 'zod/mini';
import { bySetting } from './mergingRpc.ts';
import type { Author } from '../../../tracking/core/records/trace.ts';

export const count = z.int().check(z.gte(0));
/** Absolute path of the trace. */
export const trace = z.string();

/** Whose messages are meant. */
export const conversation = z.discriminatedUnion('kind', [
  /** A call's request and, last, its reply. */
  z.object({ kind: z.literal('call'), call: count }),
  z.object({ kind: z.literal('timeline'), timeline: count, ...bySetting }),
]);
export type Conversation = z.infer<typeof conversation>;

/** Characters of base64 of one answer, at most. */
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
  /** Tokens, and where they start in the timeline. */
  readonly firstToken: number;
  readonly tokens: number;
  readonly trainableTokens: number;
}

/** A part of a message's text. A character of two units is never cut, so a part may have one more than was asked for. */
export interface TextView {
  readonly from: number;
  readonly text: string;
  /** Of the whole. */
  readonly length: number;
}

/** A place in a conversation that has the text looked for. */
export interface FoundText {
  /** Index of the message; a call's reply comes after its request. */
  readonly message: number;
  readonly field: 'text' | 'toolCalls';
  /** Where in the field, in characters. */
  readonly at: number;
  readonly length: number;
}

export interface SearchView {
  /** In order, at most `largestWindow.matches`. */
  readonly matches: readonly FoundText[];
  /** Whether there are more. */
  readonly more: boolean;
}

/** A message that a request had and training does not take. */
export interface ExcludedMessage {
  /** How many of the call's messages stand before it. */
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
  /** Of another kind, JSON. */
  | { readonly kind: 'other'; readonly json: string };

export interface BinaryView {
  readonly from: number;
  readonly base64: string;
  /** Of the whole. */
  readonly length: number;
}
