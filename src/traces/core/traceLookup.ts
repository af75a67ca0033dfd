import type { TracedTimeline } from '../../tracking/core/records/trace.ts';
import { EpisodeContents, type EpisodeContent } from './episodeContent.ts';
import { traceErrors } from './errors.ts';
import type { CallRecord, EpisodeRecord, StoredRun } from './records.ts';
import type { TraceQueries } from './traceQueries.ts';
import type { CallRow, TimelineRow } from './protocol/episodeRpc.ts';

export function timelinesByCall({ timelines }: EpisodeContent): ReadonlyMap<number, number> {
  return new Map(timelines.flatMap(({ calls }, timeline) => calls.map((call) => [call, timeline] as const)));
}

export function callRow(record: CallRecord, timelineOf: ReadonlyMap<number, number>): CallRow {
  const { call, agent, tag, startedAt, seconds, askedAfter, firstAfter, status, error } = record;
  const { promptTokens, replyTokens, finishReason } = record;
  const request = { call, agent, tag, startedAt, seconds, askedAfter, firstAfter, status, error };
  return {
    ...request,
    promptTokens,
    replyTokens,
    finishReason,
    timeline: timelineOf.get(record.call) ?? null,
  };
}

export function timelineRow(
  found: TracedTimeline,
  timeline: number,
  { provisional }: EpisodeContent,
): TimelineRow {
  const { calls, messages, tokens, trainableTokens } = found;
  return { timeline, calls, messages: messages.length, tokens, trainableTokens, provisional };
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

/** A timeline with its episode. */
export interface LocatedTimeline {
  readonly episode: number;
  readonly content: EpisodeContent;
  readonly found: TracedTimeline;
}

/** Looks up episodes, calls and timelines by number. Throws a CodedError if one does not exist. */
export class TraceLookup {
  readonly trace: TraceQueries;
  readonly contents: EpisodeContents;
  readonly #contentOf: (record: EpisodeRecord) => EpisodeContent;

  /** @param contentOf returns the content of an episode; absent: with the timelines of the run itself */
  constructor(trace: TraceQueries, contentOf?: (record: EpisodeRecord) => EpisodeContent) {
    this.trace = trace;
    this.contents = new EpisodeContents(trace);
    this.#contentOf = contentOf ?? ((record) => this.contents.open(record));
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

  call(episode: number, call: number): CallRecord {
    const record = this.trace.calls.one(episode, call);
    if (record === undefined) throw traceErrors.noSuchCall(this.trace.rows.file, episode, call);
    return record;
  }

  timeline(episode: number, timeline: number): LocatedTimeline {
    const content = this.content(episode);
    const found = content.timelines[timeline];
    if (found === undefined) throw traceErrors.noSuchTimeline(this.trace.rows.file, episode, timeline);
    return { episode, content, found };
  }
}
