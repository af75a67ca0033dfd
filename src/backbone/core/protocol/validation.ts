import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';

/** The metrics of a validation, by upstream's names. Rates are from 0 to 1. */
export interface ValidationMetrics {
  readonly pass_n: number;
  readonly total_tasks: number;
  /** Tasks of which every pass succeeded. */
  readonly num_all_success_tasks: number;
  /** Tasks of which any pass succeeded: pass@n. */
  readonly num_pass_n_tasks: number;
  /** Successes over episodes. */
  readonly 'TGC@1': number;
  readonly 'TGC@n': number;
  readonly 'TGC@n-all-pass': number;
  /** Null where no episode gave a reward. */
  readonly mean_reward: number | null;
}

/** The least raw reward that validation counts as a success, whatever `isSuccess` is. */
export const validationSuccess = 1;

/**
 * Returns the metrics of a run in validation mode. A raw reward of 1 or more is a success. An episode with an error is not
 * a success; in training it fails the whole validation.
 *
 * @param passes number of episodes of each task; their numbers are consecutive
 */
export function validationMetrics(
  results: readonly EpisodeResult[],
  passes: number,
): ValidationMetrics | undefined {
  if (results.length === 0) return undefined;
  const size = Math.max(1, passes);
  const successes = new Map<number, number>();
  for (const { episode, reward } of results) {
    const task = Math.floor(episode / size);
    const won = reward !== null && reward >= validationSuccess ? 1 : 0;
    successes.set(task, (successes.get(task) ?? 0) + won);
  }
  const tasks = successes.size;
  const counts = [...successes.values()];
  const all = counts.filter((count) => count === size).length;
  const any = counts.filter((count) => count > 0).length;
  const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    pass_n: size,
    total_tasks: tasks,
    num_all_success_tasks: all,
    num_pass_n_tasks: any,
    'TGC@1': sum(counts) / (tasks * size),
    'TGC@n': any / tasks,
    'TGC@n-all-pass': all / tasks,
    mean_reward: rewards.length === 0 ? null : sum(rewards) / rewards.length,
  };
}

/** In one line, e.g. `validation (2 passes of 3 tasks): TGC@1 0.5, TGC@2 0.667, TGC@2-all-pass 0.333, mean reward 0.5`. */
export function formatValidation(metrics: ValidationMetrics): string {
  const { pass_n, total_tasks, mean_reward } = metrics;
  const rounded = (value: number): string => String(Math.round(value * 1000) / 1000);
  const figures = [
    `TGC@1 ${rounded(metrics['TGC@1'])}`,
    `TGC@${pass_n} ${rounded(metrics['TGC@n'])}`,
    `TGC@${pass_n}-all-pass ${rounded(metrics['TGC@n-all-pass'])}`,
    `mean reward ${mean_reward === null ? '-' : rounded(mean_reward)}`,
  ];
  return `validation (${pass_n} pass${pass_n === 1 ? '' : 'es'} of ${total_tasks} task${total_tasks === 1 ? '' : 's'}): ${figures.join(', ')}`;
}
