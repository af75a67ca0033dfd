import type { TracedTimeline } from '../../tracking/core/records/trace.ts';
import type { CallRow, TimelineRow } from './protocol/episodeRpc.ts';
import type { EpisodeContent } from './episodeContent.ts';
import type { CallRecord, StoredRun } from './records.ts';

/** The timeline that each call is a part of. */
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

/** A run that has only just begun to write its trace. */
export const nothingYet: StoredRun = {
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
