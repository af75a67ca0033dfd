/** Seeded runs of any size, written by the writer that real runs use. */
import { Random } from '../../../src/base/core/random.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type {
  TracedEpisode,
  TracedMessage,
  TracedTimeline,
  TracedTraining,
  TraceWriter,
} from '../../../src/tracking/core/records/trace.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import { EpisodeWriter } from './episodeWriter.ts';
import { Passages } from './passages.ts';

export interface TraceSize {
  readonly seed: number;
  readonly episodes: number;
  /** Episodes of a task. */
  readonly repeat: number;
  /** LLM calls of an episode, on average. */
  readonly calls: number;
  /** Tokens of a message, on average. */
  readonly tokens: number;
  readonly agents: number;
  /** Different tools. */
  readonly tools: number;
  /** Share of the episodes that fail, and of the calls. */
  readonly failing: number;
  /** Tokens of the first episode's one timeline; 0: it is like the others. */
  readonly longest: number;
  /** 1: the run is a step of a training. */
  readonly training: number;
}

export const smallTrace: TraceSize = {
  seed: 1,
  episodes: 10,
  repeat: 5,
  calls: 10,
  tokens: 60,
  agents: 3,
  tools: 6,
  failing: 0.03,
  longest: 0,
  training: 0,
};

/** Milliseconds since the Unix epoch. */
const startedAt = Date.UTC(2026, 0, 15, 9, 30);

/** Bytes that a token takes, text, id, log probability and mask together: what files of this generator have. */
const bytesOfToken = 12.5;
/** Messages that come with a call: what it answers, and its reply. */
const messagesOfCall = 2;

/** Tokens of a message with which a trace has about that many bytes. */
export function tokensFor(bytes: number, { episodes, calls, longest }: TraceSize): number {
  const left = bytes / bytesOfToken - longest;
  return Math.max(10, Math.round(left / (episodes * calls * messagesOfCall)));
}

export function runOf(size: TraceSize): TracedRun {
  return {
    experiment: `generated (${size.episodes} episodes, seed ${size.seed})`,
    config: '/home/ada/generated.yaml',
    configText: 'ajet:\n',
    workflow: 'workflow.ts->Generated',
    workflowFile: '/home/ada/workflow.ts',
    model: `built-in (seed ${size.seed})`,
    tokenizer: { name: 'generated', exact: true, file: null },
    limits: { modelLength: 200_000, promptLength: 20_000, responseLength: 180_000, turnLength: 8_192 },
    merging: { compareLevel: 'text', ignoreTools: true },
    batch: { perEpisode: 20, seed: size.seed },
    tasks: Math.ceil(size.episodes / size.repeat),
    repeat: size.repeat,
    episodes: size.episodes,
    ...(size.training > 0 && { training: { step: 12, weights: 11 } }),
    startedAt,
  };
}

/** Writes all of a run but its end. */
export function generateTrace(writer: TraceWriter, size: TraceSize): void {
  const passages = new Passages(size.seed);
  const episodes = new EpisodeWriter(writer, passages, size);
  for (let first = 0; first < size.episodes; first += size.repeat) {
    writeGroup(writer, episodes, size, first);
  }
}

/** The episodes of a task run beside each other and end in any order. */
function writeGroup(writer: TraceWriter, episodes: EpisodeWriter, size: TraceSize, first: number): void {
  const random = new Random(`group ${size.seed} ${first}`);
  const rewardOf = rewardsOf(random);
  const numbers = Array.from({ length: Math.min(size.repeat, size.episodes - first) }, (_, at) => first + at);
  const ends = numbers.map((episode) => {
    const started = episodeOf(episode, size, random);
    writer.episodeStarted(started);
    const calls = Math.max(1, Math.round(size.calls * (0.4 + 1.2 * random.next())));
    const written = isLongest(episode, size)
      ? episodes.writeLongest(started, size.longest)
      : episodes.write(started, calls);
    return { started, written, order: random.next() };
  });
  for (const { started, written } of ends.sort((a, b) => a.order - b.order)) {
    const { episode, taskId, repeat } = started;
    const common = { episode, taskId, repeat, llmCalls: written.answered, seconds: written.seconds };
    const result =
      random.chance(size.failing) && !isLongest(episode, size)
        ? failed(common)
        : ended(common, rewardOf(), written);
    const returned = {
      task: JSON.stringify({ task_id: taskId }),
      output: JSON.stringify({ reward: result.reward }),
    };
    const timelines = result.error === null ? written.timelines : [];
    writer.episodeEnded({ result, ...(result.error === null && { returned }), timelines }, []);
    if (size.training > 0) writer.trained(trainedOf(episode, timelines, written.messages));
  }
}

/** The trainer has moved a little from the sampler, and at a tenth of the tokens far. */
function trainedOf(
  episode: number,
  timelines: readonly TracedTimeline[],
  messages: readonly TracedMessage[],
): readonly TracedTraining[] {
  const random = new Random(`training ${episode}`);
  const moved = (logprob: number): number => {
    return Math.min(0, logprob + (random.next() - 0.5) * (random.chance(0.1) ? 0.8 : 0.1));
  };
  return timelines.map(({ messages: positions }, timeline) => {
    const logprobs = positions.flatMap((position) => {
      const { lossMask = [], logprobs: own } = messages[position] ?? {};
      return Array.from(lossMask, (counts, at) => (counts === 1 ? (own?.[at] ?? NaN) : NaN));
    });
    return {
      ...{ episode, timeline, advantage: random.chance(0.5) ? 0.866 : -0.866, clip: { low: 0.8, high: 1.2 } },
      logprobs: Float32Array.from(logprobs, moved),
      baseLogprobs: Float32Array.from(logprobs, moved),
    };
  });
}

function isLongest(episode: number, { longest }: TraceSize): boolean {
  return episode === 0 && longest > 0;
}

function episodeOf(episode: number, { repeat, seed }: TraceSize, random: Random): TracedEpisode {
  const task = Math.floor(episode / repeat);
  return {
    episode,
    uuid: `${seed}-${episode}`,
    taskId: `task-${task}`,
    taskIndex: task,
    repeat: episode % repeat,
    query: `What is ${task} times ${(task * 7919) % 101}? ${'Think about it. '.repeat(task % 40)}`,
    startedAt: startedAt + task * 2_000 + random.below(500),
  };
}

/** Tasks are of all difficulties; a sixth of them is always or never solved, so that nothing can be learned from it. */
function rewardsOf(random: Random): () => { readonly reward: number; readonly isSuccess: boolean } {
  const difficulty = random.chance(1 / 6) ? random.below(2) : random.next();
  const partial = difficulty === 0 || difficulty === 1 ? 1 : 5;
  return () => {
    const isSuccess = random.chance(1 - difficulty);
    return { isSuccess, reward: isSuccess ? 1 : random.below(partial) / 10 };
  };
}

type Common = Pick<EpisodeResult, 'episode' | 'taskId' | 'repeat' | 'llmCalls' | 'seconds'>;

function failed(common: Common): EpisodeResult {
  const message = `The tool server of episode ${common.episode} did not answer within 30 seconds.`;
  return {
    ...common,
    reward: null,
    isSuccess: false,
    error: {
      code: 'workflow/failed',
      message,
      hint: 'Start it.',
      stack: `Error: ${message}\n    at execute`,
    },
  };
}

function ended(
  common: Common,
  score: { readonly reward: number; readonly isSuccess: boolean },
  { timelines, toolCalls }: ReturnType<EpisodeWriter['write']>,
): EpisodeResult {
  const overlong = common.episode % 23 === 7;
  const message = 'Timeline 0 has more tokens than max_model_len.';
  return {
    ...common,
    ...score,
    error: null,
    metrics: { tool_calls: toolCalls, format: score.reward > 0 ? 1 : 0 },
    tracking: {
      timelines: timelines.length,
      tokens: timelines.reduce((sum, { tokens }) => sum + tokens, 0),
      trainableTokens: timelines.reduce((sum, { trainableTokens }) => sum + trainableTokens, 0),
      problems: overlong ? [{ code: 'context-overflow', severity: 'error', message }] : [],
    },
  };
}
