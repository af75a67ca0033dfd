import path from 'node:path';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { MessageView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { traceOf } from '../../../src/traces/node/import/importTrace.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

export const importFixture = (name: string): string =>
  path.join(import.meta.dirname, '../../fixtures/imports', name);

/** The trace that is made of a file. */
export async function importedTrace(file: string): Promise<TraceReader> {
  const trace = await traceOf(file, { cacheFolder: temporaryFolder(), cancellation: neverCancelled });
  const reader = openTraceReader(trace);
  onTestFinished(() => reader.close());
  return reader;
}

/** A trace in words, one line for each thing of it, for goldens. */
export function describeTrace(reader: TraceReader): string {
  const run = reader.read((views) => views.run());
  const { imported } = run;
  const lines = [
    `${run.experiment}: ${run.tasks} tasks × ${run.repeat}, model ${run.model}`,
    `lacks ${imported?.lacks.join(' ') ?? ''}; ${imported?.records ?? 0} records, ${imported?.skipped ?? 0} skipped`,
    ...(imported?.skips ?? []).map(({ where, why }) => `skipped ${where}: ${why}`),
  ];
  for (const { episode } of reader.read((views) => views.episodes(0, 500)).rows)
    lines.push(...episodeLines(reader, episode));
  return `${lines.join('\n')}\n`;
}

function episodeLines(reader: TraceReader, episode: number): string[] {
  const { row, calls, timelines } = reader.read((views) => views.episode(episode));
  const { taskId, repeat, query, reward, isSuccess, seconds, trains, advantage, error } = row;
  const facts = { reward, isSuccess, seconds, trains, advantage };
  return [
    `episode ${episode} of ${taskId} #${repeat} ${JSON.stringify(query)} ${JSON.stringify(facts)} ${error?.message ?? ''}`,
    ...calls.flatMap(({ call }) => callLines(reader, episode, call)),
    ...timelines.flatMap(({ timeline, calls: merged, tokens, trainableTokens }) => [
      `  timeline ${timeline} of calls ${merged.join(',')}: ${tokens} tokens, ${trainableTokens} count`,
      ...reader.read((views) => views.timeline(episode, timeline)).messages.map(messageLine),
      ...tokenLines(reader, episode, timeline, tokens),
    ]),
  ];
}

function callLines(reader: TraceReader, episode: number, call: number): string[] {
  const { row, options, tools, messages, reply } = reader.read((views) => views.call(episode, call));
  const { agent, startedAt, seconds, status, error, promptTokens, replyTokens, finishReason, timeline } = row;
  const facts = {
    agent,
    startedAt,
    seconds,
    status,
    error,
    promptTokens,
    replyTokens,
    finishReason,
    timeline,
  };
  return [
    `  call ${call} ${JSON.stringify(facts)} ${options} ${tools ?? 'no tools'}`,
    ...messages.map(messageLine),
    ...(reply === null ? [] : [`  → ${messageLine(reply).trim()}`]),
  ];
}

function messageLine({
  role,
  author,
  text,
  toolCalls,
  toolCallId,
  tokens,
  trainableTokens,
}: MessageView): string {
  return `    ${role} (${author}, ${tokens}/${trainableTokens}) ${JSON.stringify(text)} ${toolCalls ?? ''} ${toolCallId ?? ''}`.trimEnd();
}

function tokenLines(reader: TraceReader, episode: number, timeline: number, count: number): string[] {
  if (count === 0) return [];
  const { ids, texts, lossMask, logprobs } = reader.read((views) =>
    views.tokens.window(episode, timeline, 0, count),
  );
  const tokens = ids.map(
    (id, index) =>
      `${id}${JSON.stringify(texts[index])}${lossMask[index] === 1 ? '*' : ''}${logprobs[index] ?? ''}`,
  );
  return [`    ${tokens.join(' ')}`];
}
