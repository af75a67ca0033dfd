import type { EpisodeResult } from './run.ts';

/** The episodes of one task. Means are over the episodes that ended with a reward; null when none did. */
export interface GroupSummary {
  readonly taskId: string;
  readonly episodes: number;
  readonly failed: number;
  readonly meanReward: number | null;
  /** Share of successes, 0 to 1. */
  readonly successRate: number | null;
}

export interface RunSummary {
  readonly groups: readonly GroupSummary[];
  readonly episodes: number;
  readonly failed: number;
  readonly meanReward: number | null;
  readonly successRate: number | null;
}

/** `repeat` tells groups apart where tasks share an id: results of one task are `repeat` consecutive episodes. */
export function summarise(results: readonly EpisodeResult[], repeat: number): RunSummary {
  const byTask = new Map<number, EpisodeResult[]>();
  for (const result of results) {
    const task = Math.floor(result.episode / Math.max(1, repeat));
    const group = byTask.get(task);
    if (group === undefined) byTask.set(task, [result]);
    else group.push(result);
  }
  const groups = [...byTask.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, group]) => ({ taskId: group[0]?.taskId ?? '', ...measures(group) }));
  return { groups, ...measures(results) };
}

function measures(results: readonly EpisodeResult[]): Omit<GroupSummary, 'taskId'> {
  const scored = results.filter((result) => result.reward !== null);
  return {
    episodes: results.length,
    failed: results.length - scored.length,
    meanReward: mean(scored.map((result) => result.reward ?? 0)),
    successRate: mean(scored.map((result) => (result.isSuccess ? 1 : 0))),
  };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
