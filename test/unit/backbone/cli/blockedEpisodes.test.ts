import { expect, it } from 'vitest';
import { BlockedEpisodes } from '../../../../src/backbone/cli/blockedEpisodes.ts';
import type { EpisodeResult } from '../../../../src/tracking/core/records/episodeResult.ts';
import { FakeClock } from '../../fakeClock.ts';

const started = (episode: number) =>
  ({ type: 'episode-started', episode, taskId: 't', repeat: episode }) as const;

it('reports the running episodes once one is long past its limit, and only then', () => {
  const clock = new FakeClock();
  const found: EpisodeResult[] = [];
  const watch = new BlockedEpisodes(clock, 10, (results) => found.push(...results));
  watch.take(started(0));
  watch.take(started(1));
  clock.advance(9_000);
  watch.take({
    type: 'episode-ended',
    result: {
      episode: 0,
      taskId: 't',
      repeat: 0,
      reward: 1,
      isSuccess: true,
      llmCalls: 0,
      seconds: 9,
      error: null,
    },
  });
  watch.take(started(2));
  clock.advance(10_500);
  expect(found).toEqual([]);
  clock.advance(1_500);
  expect(found.map(({ episode, error }) => [episode, error?.code])).toEqual([
    [1, 'episode/blocked'],
    [2, 'episode/blocked'],
  ]);
  clock.advance(60_000);
  expect(found).toHaveLength(2);
});

it('does not count what it did not see itself', () => {
  const clock = new FakeClock();
  const found: EpisodeResult[] = [];
  const watch = new BlockedEpisodes(clock, 10, (results) => found.push(...results));
  watch.take(started(0));
  clock.stall(3_600_000);
  clock.advance(10_000);
  expect(found).toEqual([]);
  clock.advance(11_000);
  expect(found).toHaveLength(1);
});
