import path from 'node:path';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type { RecordedBatch } from '../core/protocol/runRpc.ts';
import type { TraceReader } from '../core/views.ts';
import { batchSamples, type BatchSample } from '../../tracking/core/batchSamples.ts';
import { trainingJson } from '../core/trainingJson.ts';
import { sampleRecord } from '../../tracking/core/sampleRecord.ts';
import { sampleOf } from '../../tracking/core/samples.ts';
import { openTraceReader } from '../node/store/openReader.ts';
import { usageError, type CommandContext } from '../../base/node/terminal/commandLine.ts';
import type { SamplesValues } from './options.ts';
import { sampleText, summaryText, type PrintedSample } from './samplesText.ts';
import { exitCodes } from '../../base/node/terminal/commandIo.ts';
import { inTraceNode, readsTraces } from './traceNode.ts';

/** Selects samples. An empty list selects all. */
interface Selection {
  readonly tasks: readonly string[];
  readonly episodes: readonly number[];
}

export async function runSamples(
  { json = false, task = [], episode = [], worldSize }: SamplesValues,
  trace: string,
  { io, distFolder, argv }: CommandContext,
): Promise<number> {
  if (!readsTraces()) return inTraceNode(argv, distFolder);
  const reader = openTraceReader(path.resolve(io.cwd, trace));
  try {
    const batch = reader.read((views) => views.batch());
    const selection = { tasks: task, episodes: episode };
    refuseUnknown(batch.results, selection);
    const samples = batchSamples(batch.results, batch.rules ?? { perEpisode: Infinity, seed: 0 }, worldSize);
    const results = new Map(batch.results.map((result) => [result.episode, result]));
    let shown = 0;
    for (const sample of samples) {
      const result = results.get(sample.episode);
      if (result === undefined || !isWanted(result, selection)) continue;
      shown += 1;
      const printed = printedSample(reader, batch, sample, result);
      io.stdout.write(json ? `${JSON.stringify(documentOf(printed, batch))}\n` : sampleText(printed, batch));
    }
    if (!json) io.stdout.write(summaryText(samples, shown, batch));
  } finally {
    reader.close();
  }
  return exitCodes.ok;
}

function refuseUnknown(results: readonly EpisodeResult[], { tasks, episodes }: Selection): void {
  const lost = episodes.find((wanted) => results.every(({ episode }) => episode !== wanted));
  if (lost !== undefined) {
    const hint = `It has ${results.length}, numbered from 0. Episodes that have not ended have no samples.`;
    throw usageError(`--episode ${lost}: the trace has no such episode, or it has not ended.`, hint);
  }
  const unknown = tasks.find((wanted) => results.every(({ taskId }) => taskId !== wanted));
  if (unknown !== undefined) {
    const ids = [...new Set(results.map(({ taskId }) => taskId))].slice(0, 10).join(', ');
    throw usageError(`--task ${unknown}: no episode of this task has ended.`, `The first tasks: ${ids}.`);
  }
}

function isWanted({ taskId, episode }: EpisodeResult, { tasks, episodes }: Selection): boolean {
  return (
    (tasks.length === 0 || tasks.includes(taskId)) && (episodes.length === 0 || episodes.includes(episode))
  );
}

function printedSample(
  reader: TraceReader,
  { limits }: RecordedBatch,
  place: BatchSample,
  result: EpisodeResult,
): PrintedSample {
  const { episode, timeline } = place;
  const messages = reader.read((views) => views.conversations.ofTimeline(episode, timeline));
  const { row } = reader.read((views) => views.timeline(episode, timeline));
  const { texts, trainer } = reader.read((views) => views.tokens.window(episode, timeline, 0, row.tokens));
  const training = row.training && trainer && { ...row.training, tokens: trainer };
  const sample = sampleOf(messages, limits);
  return { place, result, messages, calls: row.calls, texts, sample, ...(training && { training }) };
}

function documentOf(printed: PrintedSample, { limits, tokenizer, repeat }: RecordedBatch): object {
  const { place, result, messages, sample, calls, training } = printed;
  const owner = {
    task_batch_index: Math.floor(result.episode / Math.max(1, repeat)),
    task_id: result.taskId,
    task_tag: `T${result.taskId}#R${result.repeat}`,
    step_reward: place.stepReward,
    reference_advantage: place.referenceAdvantage,
  };
  return {
    ...sampleRecord(owner, messages, sample, limits),
    agentjet: {
      episode: place.episode,
      repeat: result.repeat,
      timeline: place.timeline,
      calls,
      raw_reward: result.reward,
      step_advantage_simple: place.simpleAdvantage,
      grpo_advantage: place.grpoAdvantage,
      dropped: place.dropped,
      refused: sample.refusal,
      cut_tokens: sample.cutTokens,
      cut_trainable_tokens: sample.cutTrainable,
      exact_tokenizer: tokenizer.exact,
      ...(training && { training: trainingJson(training, training.tokens, sample.inputIds.length) }),
    },
  };
}
