import type { EpisodeResult } from './records/episodeResult.ts';
import { groupBy } from './groupBy.ts';
import { groupOf } from './groupOf.ts';

/** Means are over the episodes that ended with a reward; null when none did. */
export interface Measures {
  readonly episodes: number;
  readonly failed: number;
  readonly meanReward: number | null;
  /** Share of successes, 0 to 1. */
  readonly successRate: number | null;
}

/** The episodes of one task, which training compares with each other. */
export interface Group extends Measures {
  /** Position of the task in the run. */
  readonly group: number;
  readonly taskId: string;
  readonly members: readonly Member[];
  /** Sample deviation of what training takes for rewards; null for fewer than two. */
  readonly deviation: number | null;
  /** Whether all episodes of the group have ended. */
  readonly whole: boolean;
}

export interface Member {
  readonly episode: number;
  /** As the workflow or the judge gave it; null: the episode ended with an error. */
  readonly reward: number | null;
  /** What training takes for it: another one after a degenerate reply; null: the episode makes no sample. */
  readonly stepReward: number | null;
  /** How much better than the others of the group, in deviations; null: the episode makes no sample. */
  readonly advantage: number | null;
}

/**
 * The groups of a run, in the order of its tasks. Tasks that share an id are apart.
 *
 * @param repeat episodes per task; those of one task have consecutive numbers
 */
export function groupsOf(results: readonly EpisodeResult[], repeat: number): readonly Group[] {
  const size = Math.max(1, repeat);
  const byTask = groupBy(results, ({ episode }) => groupOf(episode, size));
  return [...byTask].sort(([a], [b]) => a - b).map(([group, members]) => measuredGroup(group, members, size));
}

/**
 * One of them.
 *
 * @param size how many episodes it is to have
 */
export function measuredGroup(group: number, results: readonly EpisodeResult[], size: number): Group {
  const stepRewards = results.map(stepRewardOf);
  const advantages = advantagesOf(stepRewards);
  return {
    group,
    taskId: results[0]?.taskId ?? '',
    ...measures(results),
    deviation: sampleDeviation(counted(stepRewards)),
    members: results.map(({ episode, reward }, index) => {
      const [stepReward = null, advantage = null] = [stepRewards[index], advantages[index]];
      return { episode, reward, stepReward, advantage };
    }),
    whole: results.length >= size,
  };
}

export function measures(results: readonly EpisodeResult[]): Measures {
  const scored = results.filter(({ reward }) => reward !== null);
  return {
    episodes: results.length,
    failed: results.length - scored.length,
    meanReward: mean(scored.map(({ reward }) => reward ?? 0)),
    successRate: mean(scored.map(({ isSuccess }) => (isSuccess ? 1 : 0))),
  };
}

/** Upstream gives every timeline of an episode the episode's reward, or that of degenerate replies. */
export function stepRewardOf({ reward, tracking }: EpisodeResult): number | null {
  return tracking?.timelines === 0 || reward === null ? null : (tracking?.madnessReward ?? reward);
}

/** Keeps advantages finite where rewards hardly differ. */
const leastDeviation = 0.01;
const epsilon = 1e-6;

/**
 * Upstream's reference advantages: distance from the group's mean in sample deviations, which count as 0.01 at least. A
 * single episode has the mean 0 and the deviation 1.
 *
 * @param rewards null: no sample, so neither compared nor an advantage
 */
export function advantagesOf(rewards: readonly (number | null)[]): readonly (number | null)[] {
  const compared = counted(rewards);
  const spread = sampleDeviation(compared);
  const [centre, deviation] = spread === null ? [0, 1] : [middle(compared), Math.max(spread, leastDeviation)];
  return rewards.map((reward) => (reward === null ? null : (reward - centre) / (deviation + epsilon)));
}

/**
 * GRPO's advantages of the samples of a group, which are also upstream's simple reference advantages: as above, but with
 * each sample for itself, and with the deviation as it is.
 */
export function rowAdvantagesOf(rewards: readonly number[]): readonly number[] {
  const spread = sampleDeviation(rewards);
  const [centre, deviation] = spread === null ? [0, 1] : [middle(rewards), spread];
  return rewards.map((reward) => (reward - centre) / (deviation + epsilon));
}

function counted(rewards: readonly (number | null)[]): readonly number[] {
  return rewards.filter((reward) => reward !== null);
}

/** The mean; of equal values that very value, which a sum may miss by a bit. */
function middle(values: readonly number[]): number {
  const [first = 0] = values;
  return values.every((value) => value === first) ? first : (mean(values) ?? 0);
}

function sampleDeviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = middle(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
