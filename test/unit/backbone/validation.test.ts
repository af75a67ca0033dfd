import { expect, it } from 'vitest';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { formatValidation, validationMetrics } from '../../../src/backbone/node/client/runReport.ts';

function results(...rewards: (number | null)[]): EpisodeResult[] {
  return rewards.map((reward, episode) => ({
    episode,
    taskId: 't',
    repeat: 0,
    reward,
    isSuccess: false,
    llmCalls: 1,
    seconds: 1,
    error: reward === null ? { code: 'x/y', message: 'It broke.' } : null,
  }));
}

it('counts rewards of 1 and more as successes, whatever isSuccess says', () => {
  const metrics = validationMetrics(results(1, 0.5, 1.5, 1, 0, -1), 2);
  expect(metrics).toEqual({
    pass_n: 2,
    total_tasks: 3,
    num_all_success_tasks: 1,
    num_pass_n_tasks: 2,
    'TGC@1': 0.5,
    'TGC@n': 2 / 3,
    'TGC@n-all-pass': 1 / 3,
    mean_reward: 0.5,
  });
  expect(metrics && formatValidation(metrics)).toBe(
    'validation (2 passes of 3 tasks): TGC@1 0.5, TGC@2 0.667, TGC@2-all-pass 0.333, mean reward 0.5',
  );
});

it('counts an episode that failed as none, and not in the mean', () => {
  expect(validationMetrics(results(1, null), 2)).toMatchObject({ 'TGC@1': 0.5, mean_reward: 1 });
  const none = validationMetrics(results(null), 1);
  expect(none && formatValidation(none)).toContain('(1 pass of 1 task): TGC@1 0, TGC@1 0, ');
  expect(validationMetrics([], 1)).toBeUndefined();
});
