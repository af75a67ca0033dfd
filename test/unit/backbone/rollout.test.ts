import { expect, it } from 'vitest';
import { episodeSlots, rollOut } from '../../../src/backbone/core/task-rollout/rollout.ts';
import type { EpisodeSlot } from '../../../src/backbone/core/task-runner/episode.ts';
import { CancellationSource, neverCancelled } from '../../../src/base/core/cancellation.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';

const tasks = ['a', 'b', 'c'].map((task_id) => ({
  main_query: 'q',
  init_messages: [],
  task_id,
  env_type: 'no_env',
  metadata: {},
}));

function resultOf(slot: EpisodeSlot): EpisodeResult {
  return {
    episode: slot.episode,
    taskId: slot.task.task_id,
    repeat: slot.repeat,
    reward: 1,
    isSuccess: true,
    llmCalls: 0,
    seconds: 0,
    error: null,
  };
}

it('numbers episodes task by task, as training does', () => {
  expect(episodeSlots(tasks, 2).map((slot) => `${slot.episode}:${slot.task.task_id}#${slot.repeat}`)).toEqual(
    ['0:a#0', '1:a#1', '2:b#0', '3:b#1', '4:c#0', '5:c#1'],
  );
});

it('numbers the passes of a validation as training does, which runs the whole list again for each', () => {
  const slots = episodeSlots(tasks, 2, 'validate');
  expect(
    slots.map(({ episode, numbering }) => [episode, numbering?.taskBatchIndex, numbering?.taskTag]),
  ).toEqual([
    [0, 0, 'Ta#R0'],
    [1, 3, 'Ta#R0'],
    [2, 1, 'Tb#R0'],
    [3, 4, 'Tb#R0'],
    [4, 2, 'Tc#R0'],
    [5, 5, 'Tc#R0'],
  ]);
});

it.each([1, 2, 4, 100])(
  'runs every episode once with at most %i at a time, results in order',
  async (parallel) => {
    let running = 0;
    let most = 0;
    const started: number[] = [];
    const results = await rollOut(episodeSlots(tasks, 3), parallel, neverCancelled, async (slot) => {
      started.push(slot.episode);
      most = Math.max(most, ++running);
      // Later episodes settle earlier, so that the order of results is not the order of ends.
      for (let turn = 0; turn < 10 - slot.episode; turn++) await Promise.resolve();
      running -= 1;
      return resultOf(slot);
    });
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(most).toBe(Math.min(parallel, 9));
    expect(results.map((result) => result.episode)).toEqual(started);
  },
);

it('starts no further episode after cancellation', async () => {
  const source = new CancellationSource();
  const results = await rollOut(episodeSlots(tasks, 2), 1, source.token, (slot) => {
    if (slot.episode === 2) source.cancel();
    return Promise.resolve(resultOf(slot));
  });
  expect(results.map((result) => result.episode)).toEqual([0, 1, 2]);
});
