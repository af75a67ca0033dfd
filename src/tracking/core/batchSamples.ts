import { Random } from '../../base/core/random.ts';
import type { EpisodeResult } from './records/episodeResult.ts';
import type { BatchRules } from './records/tracedRun.ts';
import { groupBy } from './groupBy.ts';
import { advantagesOf, rowAdvantagesOf, stepRewardOf } from './groups.ts';

/** The reason why training drops a sample. */
export type DropReason = 'max_sample_per_task' | 'world_size';

/** A timeline of an episode as a batch of training takes it. */
export interface BatchSample {
  readonly episode: number;
  /** Its number in the episode, of how many. */
  readonly timeline: number;
  readonly timelines: number;
  readonly stepReward: number;
  /** Upstream's `step_advantage`, for display; NaN where an episode of the task has no timeline. */
  readonly referenceAdvantage: number;
  /** The same with each timeline for itself, and without a least deviation. */
  readonly simpleAdvantage: number;
  /** The advantage of GRPO in its batch. Null if the sample is dropped. */
  readonly grpoAdvantage: number | null;
  readonly dropped: DropReason | null;
}

/** An episode that training takes, which it may do several times. */
interface Taken {
  readonly result: EpisodeResult;
  /** Which time it is, from 0. */
  readonly time: number;
  readonly stepReward: number;
  readonly timelines: number;
}

interface Row extends Taken {
  readonly timeline: number;
  readonly dropped: DropReason | null;
}

/**
 * Returns the samples of a run as one batch. It has every episode that ended with a reward. In an oversampled
 * rollout, only selected episodes count. An episode keeps `max_sample_per_task` samples (upstream counts by episode,
 * despite the name of the key). Samples that VERL cannot divide equally among its processes are dropped. Upstream
 * draws them without a seed. Here the seed of the run decides. Advantages compare episodes whose tasks have the same
 * id.
 *
 * @param worldSize processes that train under VERL; undefined: nothing is dropped for them
 */
export function batchSamples(
  results: readonly EpisodeResult[],
  { perEpisode, seed }: BatchRules,
  worldSize?: number,
): readonly BatchSample[] {
  const taken = results.flatMap(takenOf);
  const thinned = taken.flatMap((one) =>
    rowsOf(one, perEpisode, new Random(`samples ${seed} ${one.result.episode} ${one.time}`)),
  );
  const rows = worldSize === undefined ? thinned : sharedOut(thinned, worldSize, seed);
  const reference = byTask(taken, referenceOf);
  const simple = byTask(rows, simpleOf);
  const grpo = byTask(
    rows.filter(({ dropped }) => dropped === null),
    simpleOf,
  );
  return rows.map((row) => {
    const { result, timeline, timelines, stepReward, dropped } = row;
    return {
      episode: result.episode,
      timeline,
      timelines,
      stepReward,
      referenceAdvantage: reference.get(result) ?? NaN,
      simpleAdvantage: simple.get(result) ?? NaN,
      grpoAdvantage: dropped === null ? (grpo.get(result) ?? null) : null,
      dropped,
    };
  });
}

function takenOf(result: EpisodeResult): readonly Taken[] {
  const { tracking, selected = 1, reward } = result;
  if (tracking === undefined || reward === null) return [];
  const stepReward = stepRewardOf(result) ?? reward;
  const { timelines } = tracking;
  return Array.from({ length: selected }, (_, time) => ({ result, time, stepReward, timelines }));
}

function rowsOf(taken: Taken, most: number, random: Random): readonly Row[] {
  const left = taken.timelines > most ? drawn(taken.timelines, most, random) : undefined;
  return Array.from({ length: taken.timelines }, (_, timeline) => ({
    ...taken,
    timeline,
    dropped: left === undefined || left.has(timeline) ? null : 'max_sample_per_task',
  }));
}

/** Drops random rows until the batch is a multiple of the number of VERL processes. */
function sharedOut(rows: readonly Row[], worldSize: number, seed: number): readonly Row[] {
  const kept = rows.flatMap(({ dropped }, index) => (dropped === null ? [index] : []));
  const over = drawn(kept.length, kept.length % worldSize, new Random(`world size ${seed}`));
  const gone = new Set(kept.filter((_, at) => over.has(at)));
  return rows.map((row, index) => (gone.has(index) ? { ...row, dropped: 'world_size' } : row));
}

/** So many of the numbers below `length`, each as likely as any other. */
function drawn(length: number, count: number, random: Random): ReadonlySet<number> {
  const numbers = Array.from({ length }, (_, index) => index);
  for (let at = 0; at < count; at++) {
    const other = at + random.below(length - at);
    [numbers[at], numbers[other]] = [numbers[other] ?? 0, numbers[at] ?? 0];
  }
  return new Set(numbers.slice(0, count));
}

/** By episode; the rows of one have the same reward, and so the same advantage. */
function byTask<T extends Taken>(
  items: readonly T[],
  advantages: (group: readonly T[]) => readonly number[],
): ReadonlyMap<EpisodeResult, number> {
  const groups = groupBy(items, ({ result }) => result.taskId);
  return new Map(
    [...groups.values()].flatMap((group) => {
      const own = advantages(group);
      return group.map(({ result }, index) => [result, own[index] ?? NaN] as const);
    }),
  );
}

/** Returns the reference values. A mean over no timelines is NaN, and makes all values of the group NaN. */
function referenceOf(group: readonly Taken[]): readonly number[] {
  if (group.length > 1 && group.some(({ timelines }) => timelines === 0)) return group.map(() => NaN);
  return advantagesOf(group.map(({ stepReward }) => stepReward)).map((advantage) => advantage ?? NaN);
}

function simpleOf(group: readonly Taken[]): readonly number[] {
  return rowAdvantagesOf(group.map(({ stepReward }) => stepReward));
}
