import path from 'node:path';
import type { EpisodeResult } from '../../protocol/run.ts';
import type { RecordedBatch } from '../../protocol/recorded.ts';
import type { TraceReader } from '../../trace/reader.ts';
import { batchSamples, type BatchSample } from '../../tracking/batchSamples.ts';
import { sampleRecord } from '../../tracking/sampleRecord.ts';
import { sampleOf } from '../../tracking/samples.ts';
import { openTraceReader } from '../trace/store/openReader.ts';
import { whole } from './argumentValues.ts';
import type { Subcommand } from './commandIo.ts';
import { parseOptions, wrongUse } from './commandLine.ts';
import { sampleText, summaryText, type PrintedSample } from './samplesText.ts';
import { exitCodes } from './terminalView.ts';

const options = {
  json: { type: 'boolean' },
  task: { type: 'string', multiple: true },
  episode: { type: 'string', multiple: true },
  'world-size': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const usage = `Usage: agentjet samples TRACE [--json] [--task ID] [--episode N] [--world-size N]

Prints the samples that training would get of a run, from its .ajtrace: prompt and response, what counts in the loss,
rewards and advantages, and what is cut or dropped.

  --json                 a line of JSON for each sample, with AgentJet's own fields: input_ids, prompt_ids, response_ids,
                         attention_mask, position_ids, loss_mask, logprobs, step_reward, reference_advantage, …;
                         "agentjet" has what is not AgentJet's: episode, timeline, calls, advantages, cut, dropped
  --task ID              only of this task; may be given several times
  --episode N            only of this episode; may be given several times
  --world-size N         as one batch of VERL's for N processes, which drops what cannot be shared out evenly

Advantages are those of the whole run, as one batch, whichever samples are printed. What is dropped, of an episode with
more than max_sample_per_task timelines or for --world-size, AgentJet draws without a seed; here the run's seed decides.
reference_advantage is for display: under Trinity, AgentJet leaves it 0; it is null where an episode of the task has no
timeline, which makes no number of the mean. GRPO's is what trains.

Exit code: 0, or 2 if the trace cannot be read or has no such episode.`;

/** Which samples are wanted; empty: all. */
interface Selection {
  readonly tasks: readonly string[];
  readonly episodes: readonly number[];
}

/** `agentjet samples`: reads and prints one sample at a time, however many there are. */
export const runSamples: Subcommand = (args, { stdout, cwd }) => {
  const { values, positionals } = parseOptions(args, options, 'agentjet samples');
  if (values.help === true) {
    stdout.write(`${usage}\n`);
    return Promise.resolve(exitCodes.ok);
  }
  const [trace, stray] = positionals;
  if (trace === undefined) {
    throw wrongUse('agentjet samples needs a trace.', 'Name one: agentjet samples FILE.ajtrace');
  }
  if (stray !== undefined) {
    throw wrongUse(
      `"${stray}" is one file too many.`,
      'Print the samples of each trace by a command of its own.',
    );
  }
  const episodes = (values.episode ?? []).map((text) => whole('--episode', text, 0) ?? 0);
  const worldSize = whole('--world-size', values['world-size'], 1);
  const reader = openTraceReader(path.resolve(cwd, trace));
  try {
    const batch = reader.read((views) => views.batch());
    const selection = { tasks: values.task ?? [], episodes };
    refuseUnknown(batch.results, selection);
    const write = (text: string): void => stdout.write(text);
    print(reader, batch, { selection, worldSize, json: values.json === true, write });
  } finally {
    reader.close();
  }
  return Promise.resolve(exitCodes.ok);
};

function refuseUnknown(results: readonly EpisodeResult[], { tasks, episodes }: Selection): void {
  const lost = episodes.find((wanted) => results.every(({ episode }) => episode !== wanted));
  if (lost !== undefined) {
    const hint = `It has ${results.length}, numbered from 0; those that have not ended make no samples.`;
    throw wrongUse(`--episode ${lost}: the trace has no such episode that has ended.`, hint);
  }
  const unknown = tasks.find((wanted) => results.every(({ taskId }) => taskId !== wanted));
  if (unknown !== undefined) {
    const ids = [...new Set(results.map(({ taskId }) => taskId))].slice(0, 10).join(', ');
    throw wrongUse(`--task ${unknown}: no episode of such a task has ended.`, `The first tasks: ${ids}.`);
  }
}

interface Printing {
  readonly selection: Selection;
  readonly worldSize: number | undefined;
  readonly json: boolean;
  readonly write: (text: string) => void;
}

function print(reader: TraceReader, batch: RecordedBatch, printing: Printing): void {
  const { selection, worldSize, json, write } = printing;
  const { results, rules } = batch;
  const samples = batchSamples(results, rules ?? { perEpisode: Infinity, seed: 0 }, worldSize);
  const byEpisode = new Map(results.map((result) => [result.episode, result]));
  let shown = 0;
  for (const sample of samples) {
    const result = byEpisode.get(sample.episode);
    if (result === undefined || !isWanted(result, selection)) continue;
    shown += 1;
    const printed = printedSample(reader, batch, sample, result);
    write(json ? `${JSON.stringify(documentOf(printed, batch))}\n` : sampleText(printed, batch));
  }
  if (!json) write(summaryText(samples, shown, batch));
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
  const { texts } = reader.read((views) => views.tokens.window(episode, timeline, 0, row.tokens));
  return { place, result, messages, calls: row.calls, texts, sample: sampleOf(messages, limits) };
}

function documentOf(printed: PrintedSample, { limits, tokenizer, repeat }: RecordedBatch): object {
  const { place, result, messages, sample, calls } = printed;
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
    },
  };
}
