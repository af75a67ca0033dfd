import type { EpisodeResult } from './records/episodeResult.ts';
import { groupBy } from './groupBy.ts';

/** Means over the episodes that ended with a reward. Null if there are none. */
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
  /** The sample standard deviation of the training rewards. Null for fewer than two. */
  readonly deviation: number | null;
  /** True if all episodes of the group have ended. */
  readonly whole: boolean;
}

export interface Member {
  readonly episode: number;
  /** The reward of the workflow or the judge. Null: the episode ended with an error. */
  readonly reward: number | null;
  /** The reward in training, which differs after a degenerate reply. Null: the episode makes no sample. */
  readonly stepReward: number | null;
  /** The advantage within the group, in standard deviations. Null: the episode makes no sample. */
  readonly advantage: number | null;
}

/** Returns them in the order of the tasks, not by id. The `repeat` episodes of a task have consecutive numbers. */
export function groupsOf(results: readonly EpisodeResult[], repeat: number): readonly Group[] {
  const size = Math.max(1, repeat);
  const byTask = groupBy(results, ({ episode }) => groupOf(episode, size));
  return [...byTask].sort(([a], [b]) => a - b).map(([group, members]) => measuredGroup(group, members, size));
}

/** @param size the number of episodes in the complete group */
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

/** Returns the training reward of each timeline: that of the episode, or that of degenerate replies. */
export function stepRewardOf({ reward, tracking }: EpisodeResult): number | null {
  return tracking?.timelines === 0 || reward === null ? null : (tracking?.madnessReward ?? reward);
}

/** The least deviation, which keeps advantages finite if rewards hardly differ. */
const leastDeviation = 0.01;
const epsilon = 1e-6;

/**
 * Returns AgentJet's reference advantages: the distance from the group's mean in standard deviations of at least 0.01.
 * A single episode has the mean 0 and the deviation 1. Null: no sample, so it is not compared.
 */
export function advantagesOf(rewards: readonly (number | null)[]): readonly (number | null)[] {
  const compared = counted(rewards);
  const spread = sampleDeviation(compared);
  const [centre, deviation] = spread === null ? [0, 1] : [middle(compared), Math.max(spread, leastDeviation)];
  return rewards.map((reward) => (reward === null ? null : (reward - centre) / (deviation + epsilon)));
}

/** GRPO's, which are also AgentJet's simple reference: of samples, not episodes, without a least deviation. */
export function rowAdvantagesOf(rewards: readonly number[]): readonly number[] {
  const spread = sampleDeviation(rewards);
  const [centre, deviation] = spread === null ? [0, 1] : [middle(rewards), spread];
  return rewards.map((reward) => (reward - centre) / (deviation + epsilon));
}

function counted(rewards: readonly (number | null)[]): readonly number[] {
  return rewards.filter((reward) => reward !== null);
}

/** Returns the mean. For equal values it is exact. */
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

/** Returns the position of the episode's task in the run. */
export function groupOf(episode: number, repeat: number): number {
  return Math.floor(episode / Math.max(1, repeat));
}
