import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';
import type { TracedAlternatives, TracedMessage, CallRecord } from '../../tracking/core/records/trace.ts';
import { mergeCalls, withTokens } from '../../tracking/core/mergeCalls.ts';
import { traceErrors } from './errors.ts';
import { mergeInputs, upstreamRules, type MessageSource } from './mergeInputs.ts';
import { LruCache } from './lruCache.ts';
import type { EpisodeRecord, MessageRecord } from './records.ts';
import { trainableTokensOf } from './traceRecorder.ts';
import type { StoredTimeline, TraceQueries } from './traceQueries.ts';
import type { TokenWindow } from './messageQueries.ts';
import type { CallRow, TimelineRow } from './protocol/episodeRpc.ts';

export function timelinesByCall({ timelines }: EpisodeContent): ReadonlyMap<number, number> {
  return new Map(timelines.flatMap(({ calls }, timeline) => calls.map((call) => [call, timeline] as const)));
}

export function callRow(record: CallRecord, timelineOf: ReadonlyMap<number, number>): CallRow {
  const row: CallRow & Partial<CallRecord> = { ...record, timeline: timelineOf.get(record.call) ?? null };
  delete row.reply;
  return row;
}

export function timelineRow(
  found: StoredTimeline,
  timeline: number,
  { provisional }: EpisodeContent,
): TimelineRow {
  const { calls, messages, tokens, trainableTokens, training } = found;
  const counts = { messages: messages.length, tokens, trainableTokens };
  return { timeline, calls, ...counts, provisional, ...(training && { training }) };
}

/** A run whose trace has only just been started. */
export const emptyRun: StoredRun = {
  experiment: '',
  config: '',
  workflow: '',
  workflowFile: '',
  model: '',
  tokenizer: { name: '', exact: true, file: null },
  limits: { modelLength: 0, promptLength: 0, responseLength: 0, turnLength: 0 },
  tasks: 0,
  repeat: 1,
  episodes: 0,
  startedAt: 0,
};

export interface LocatedTimeline {
  readonly episode: number;
  readonly timeline: number;
  readonly content: EpisodeContent;
  readonly found: StoredTimeline;
}

/** Throws a CodedError for unknown numbers. Timelines of running episodes are cached until the next call. */
export class TraceLookup {
  readonly trace: TraceQueries;
  readonly #contentOf: (record: EpisodeRecord) => EpisodeContent;
  readonly #merged = new LruCache<number, { readonly calls: number; readonly content: MergedTimelines }>(
    mostRemembered,
  );

  /** @param contentOf returns the content of an episode; absent: with the timelines of the run itself */
  constructor(trace: TraceQueries, contentOf?: (record: EpisodeRecord) => EpisodeContent) {
    this.trace = trace;
    this.#contentOf = contentOf ?? ((record) => this.open(record));
  }

  run(): StoredRun {
    return this.trace.run() ?? emptyRun;
  }

  episode(episode: number): EpisodeRecord {
    const record = this.trace.episode(episode);
    if (record === undefined) throw traceErrors.noSuchEpisode(this.trace.rows.file, episode);
    return record;
  }

  content(episode: number): EpisodeContent {
    return this.#contentOf(this.episode(episode));
  }

  open({ episode, ended, calls }: EpisodeRecord): EpisodeContent {
    if (ended !== 0)
      return this.withTimelines(
        episode,
        { timelines: this.trace.timelines(episode), made: new Map() },
        false,
      );
    const merged = this.#merged.get(
      episode,
      () => ({ calls, content: merge(this.trace, episode) }),
      (known) => known.calls === calls,
    );
    return this.withTimelines(episode, merged.content, true);
  }

  withTimelines(episode: number, { timelines, made }: MergedTimelines, provisional: boolean): EpisodeContent {
    return { timelines, provisional, messages: () => lookup(this.trace, episode, made) };
  }

  call(episode: number, call: number): CallRecord {
    const record = this.trace.calls.one(episode, call);
    if (record === undefined) throw traceErrors.noSuchCall(this.trace.rows.file, episode, call);
    return record;
  }

  timeline(episode: number, timeline: number): LocatedTimeline {
    const content = this.content(episode);
    const found = content.timelines[timeline];
    if (found === undefined) throw traceErrors.noSuchTimeline(this.trace.rows.file, episode, timeline);
    return { episode, timeline, content, found };
  }
}

/** The timelines of an episode, and messages that only exist because merging created them. */
export interface MergedTimelines {
  readonly timelines: readonly StoredTimeline[];
  readonly made: ReadonlyMap<number, TracedMessage>;
}

/** The timelines and messages of an episode. Timelines of a running episode are merged from its calls. */
export interface EpisodeContent {
  readonly timelines: readonly StoredTimeline[];
  /** True if the timelines are merged from the calls so far. */
  readonly provisional: boolean;
  /** Returns a lookup of messages by position, and reads all of them at once. */
  messages(): MessageLookup;
}

export interface MessageLookup extends MessageSource {
  /** Returns tokens `first` … `end` of a message, as far as it has them. */
  window(position: number, first: number, end: number): TokenWindow;
  alternatives(position: number, first: number, end: number): TracedAlternatives | null;
  /** Returns whether the message is stored. Stored messages never change. */
  isStored(position: number): boolean;
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
      return heads.get(position) ?? trace.rows.damaged(`episode ${episode} has no message ${position}`);
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
