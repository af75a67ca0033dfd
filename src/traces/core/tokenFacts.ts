import { countWhile } from '../../base/core/countWhile.ts';
import { align, type Hunk } from './align.ts';
import { contentSpan, type ContentSpan } from './contentSpan.ts';
import type { MessageLookup, LocatedTimeline } from './episodeContent.ts';
import { LruCache } from './lruCache.ts';
import type { TraceQueries } from './traceQueries.ts';
import type { TokenFacts } from './tokensView.ts';
import type { TokenTable } from './tokenTable.ts';

const mostKnown = 4_096;

/** Facts about a timeline's tokens, with the drift of each message. */
export interface TimelineFacts extends TokenFacts {
  /** `left` is what the chat template makes of a message's text, `right` what the timeline has. */
  drift(message: number): Drift;
}

export interface Drift {
  readonly hunks: readonly Hunk[];
  /** Position of the message as the template tokenizes it; null: there is none. */
  readonly again: number | null;
}

/** Computes facts about messages that are not stored, and caches the newest. A stored message never changes. */
export class TokenFactSource {
  readonly #trace: TraceQueries;
  readonly #table: TokenTable;
  readonly #spans = new LruCache<string, ContentSpan>(mostKnown);
  readonly #drifts = new LruCache<string, readonly Hunk[]>(mostKnown);

  constructor(trace: TraceQueries, table: TokenTable) {
    this.#trace = trace;
    this.#table = table;
  }

  /** @param exact true if the ids are those of training; the ids of a stand-in tokenizer say nothing about drift */
  of({ episode, timeline, content, found }: LocatedTimeline, exact: boolean): TimelineFacts {
    const messages = content.messages();
    const last = exact ? found.calls.at(-1) : undefined;
    const sent = last === undefined ? [] : this.#trace.calls.details(episode, last).messages;
    const drift = (message: number): Drift => {
      const made = found.messages[message];
      const again = sent[message];
      if (made === undefined || again === undefined || again === made) return none;
      if (messages.head(made).author !== 'llm') return none;
      return { again, hunks: this.#driftOf(episode, messages, again, made) };
    };
    return {
      messages,
      table: this.#table,
      content: (position) => this.#spanOf(episode, messages, position),
      drift,
      drifted: (message) => contains(drift(message).hunks),
      alternatives: (position, first, end) => messages.alternatives(position, first, end),
      trainer:
        found.training === undefined
          ? null
          : (first, end) => this.#trace.trainerLogprobs(episode, timeline, first, end),
    };
  }

  #spanOf(episode: number, messages: MessageLookup, position: number): ContentSpan {
    const work = (): ContentSpan => {
      const { role, author } = messages.head(position);
      const message = { role, author, ...messages.text(position), ...messages.tokens(position) };
      return contentSpan(message, (id) => this.#table.at(id));
    };
    return messages.isStored(position) ? this.#spans.get(`${episode} ${position}`, work) : work();
  }

  #driftOf(episode: number, messages: MessageLookup, again: number, made: number): readonly Hunk[] {
    const work = (): readonly Hunk[] =>
      align(messages.tokens(again).tokenIds, messages.tokens(made).tokenIds).hunks;
    const lasts = messages.isStored(again) && messages.isStored(made);
    return lasts ? this.#drifts.get(`${episode} ${again} ${made}`, work) : work();
  }
}

const none: Drift = { hunks: [], again: null };

/** If the template only adds tokens, the tokens on both sides of the gap are in the hunk. */
export function touches({ right }: Hunk, token: number): boolean {
  if (right.from === right.end) return token === right.from - 1 || token === right.from;
  return right.from <= token && token < right.end;
}

function contains(hunks: readonly Hunk[]): (token: number) => boolean {
  return (token) => hunkAt(hunks, token) !== undefined;
}

/** The hunk that a token is in; undefined: it is the same in both. */
export function hunkAt(hunks: readonly Hunk[], token: number): Hunk | undefined {
  const at = countWhile(hunks, ({ right }) => right.end < token);
  return hunks.slice(at, at + 2).find((hunk) => touches(hunk, token));
}
