import type { TracedAlternatives, TracedMessage, TracedTimeline } from '../../tracking/core/records/trace.ts';
import { mergeCalls } from '../../tracking/core/mergeCalls.ts';
import { withTokens } from '../../tracking/core/timelineTokens.ts';
import { traceErrors } from './errors.ts';
import { mergeInputs, upstreamRules, type MessageSource } from './mergeInputs.ts';
import { LruCache } from './lruCache.ts';
import type { EpisodeRecord, MessageRecord } from './records.ts';
import { trainableTokensOf } from './traceRecorder.ts';
import type { TraceQueries } from './traceQueries.ts';
import type { TokenWindow } from './messageQueries.ts';

/** The timelines of an episode, and messages that only exist because merging created them. */
export interface MergedTimelines {
  readonly timelines: readonly TracedTimeline[];
  readonly made: ReadonlyMap<number, TracedMessage>;
}

/** The timelines and messages of an episode. Timelines of a running episode are merged from its calls. */
export interface EpisodeContent {
  readonly timelines: readonly TracedTimeline[];
  /** True if the timelines are merged from the calls so far. */
  readonly provisional: boolean;
  /** Returns a lookup of messages by position, and reads all of them at once. */
  messages(): MessageLookup;
}

export interface MessageLookup extends MessageSource {
  /** Returns tokens `first` … `end` of a message, as far as it has them. */
  window(position: number, first: number, end: number): TokenWindow;
  /** Returns the alternatives of tokens; null: none were recorded. */
  alternatives(position: number, first: number, end: number): TracedAlternatives | null;
  /** Returns whether the message is stored. Stored messages never change. */
  isStored(position: number): boolean;
}

/** Opens episodes, and caches merged timelines until their next call. */
export class EpisodeContents {
  readonly #trace: TraceQueries;
  readonly #merged = new LruCache<number, { readonly calls: number; readonly content: MergedTimelines }>(
    mostRemembered,
  );

  constructor(trace: TraceQueries) {
    this.#trace = trace;
  }

  open({ episode, ended, calls }: EpisodeRecord): EpisodeContent {
    const merged: MergedTimelines =
      ended === 0
        ? this.#mergedSoFar(episode, calls)
        : { timelines: this.#trace.timelines(episode), made: new Map() };
    return this.of(episode, merged, ended === 0);
  }

  /** Returns the content with timelines that were merged elsewhere. */
  of(episode: number, { timelines, made }: MergedTimelines, provisional: boolean): EpisodeContent {
    return { timelines, provisional, messages: () => lookup(this.#trace, episode, made) };
  }

  #mergedSoFar(episode: number, calls: number): MergedTimelines {
    const merged = (): { readonly calls: number; readonly content: MergedTimelines } => ({
      calls,
      content: merge(this.#trace, episode),
    });
    return this.#merged.get(episode, merged, (known) => known.calls === calls).content;
  }
}

/** More episodes than run at a time, except in very wide runs. */
const mostRemembered = 256;

function merge(trace: TraceQueries, episode: number): MergedTimelines {
  const rules = trace.merging() ?? upstreamRules;
  const { calls, messages, lossMaskOf } = mergeInputs(trace, episode, lookup(trace, episode, new Map()));
  const merged = mergeCalls(calls, messages, { ...rules, lossMaskOf });
  return {
    timelines: withTokens(merged, messages),
    made: new Map(merged.added.map(({ position, message }) => [position, message])),
  };
}

function lookup(
  trace: TraceQueries,
  episode: number,
  made: ReadonlyMap<number, TracedMessage>,
): MessageLookup {
  const heads = new Map(trace.messages.ofEpisode(episode).map((row) => [row.position, row]));
  return {
    count: heads.size,
    head: (position) => {
      const message = made.get(position);
      if (message !== undefined) return headOf(position, message);
      const head = heads.get(position);
      if (head !== undefined) return head;
      throw traceErrors.damaged(trace.rows.file, `episode ${episode} has no message ${position}`);
    },
    text: (position) => made.get(position) ?? trace.messages.text(episode, position),
    tokens: (position) => made.get(position) ?? trace.messages.tokens(episode, position),
    window: (position, first, end) => {
      const message = made.get(position);
      return message === undefined
        ? trace.messages.window(episode, position, first, end)
        : windowOf(message, first, end);
    },
    // Messages that merging creates while an episode runs have no alternatives until the episode has ended.
    alternatives: (position, first, end) =>
      made.has(position) ? null : (trace.messages.alternatives(episode, position, first, end) ?? null),
    isStored: (position) => !made.has(position),
  };
}

function windowOf({ tokenIds, logprobs, lossMask }: TracedMessage, first: number, end: number): TokenWindow {
  return {
    first,
    tokenIds: tokenIds.subarray(first, end),
    logprobs: logprobs?.subarray(first, end) ?? null,
    lossMask: lossMask.subarray(first, end),
  };
}

function headOf(position: number, message: TracedMessage): MessageRecord {
  const { role, author, toolCallId, tokenIds } = message;
  return {
    position,
    role,
    author,
    toolCallId,
    tokens: tokenIds.length,
    trainableTokens: trainableTokensOf(message),
  };
}
