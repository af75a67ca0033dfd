import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { batchSamples, type BatchSample } from '../../../src/tracking/core/batchSamples.ts';
import { fuzz } from '../fuzz.ts';

function result(episode: number, reward: number | null, more: Partial<EpisodeResult> = {}): EpisodeResult {
  const tracking = { timelines: 1, tokens: 9, trainableTokens: 3, problems: [] };
  const place = { episode, taskId: 't', repeat: episode };
  return { ...place, reward, isSuccess: false, llmCalls: 1, seconds: 0, error: null, tracking, ...more };
}

function timelines(count: number, more: Partial<EpisodeResult['tracking']> = {}): Partial<EpisodeResult> {
  return { tracking: { timelines: count, tokens: 9, trainableTokens: 3, problems: [], ...more } };
}

const rules = { perEpisode: 30, seed: 7 };

function rounded(samples: readonly BatchSample[]): (readonly [number, number, number | null])[] {
  const three = (value: number): number => Number(value.toFixed(3));
  return samples.map(({ referenceAdvantage, simpleAdvantage, grpoAdvantage }) => [
    three(referenceAdvantage),
    three(simpleAdvantage),
    grpoAdvantage === null ? null : three(grpoAdvantage),
  ]);
}

describe('the samples of a batch', () => {
  it('are the timelines of episodes with a reward, compared by their task', () => {
    const other = { taskId: 'u' };
    const samples = batchSamples(
      [result(0, 1, timelines(2)), result(1, 0), result(2, null), result(3, 5, other)],
      rules,
    );
    expect(samples.map(({ episode, timeline, stepReward }) => [episode, timeline, stepReward])).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [1, 0, 0],
      [3, 0, 5],
    ]);
    expect(rounded(samples)).toEqual([
      [0.707, 0.577, 0.577],
      [0.707, 0.577, 0.577],
      [-0.707, -1.155, -1.155],
      [5, 5, 5],
    ]);
  });

  it('have the reward of degenerate replies', () => {
    const mad = timelines(1, { madnessReward: -1 });
    expect(batchSamples([result(0, 1, mad)], rules)).toMatchObject([{ stepReward: -1 }]);
  });

  it('have a least deviation in the reference only', () => {
    const [first] = rounded(batchSamples([result(0, 0.501), result(1, 0.5)], rules));
    expect(first).toEqual([0.05, 0.706, 0.706]);
  });

  it('have no number for a reference where an episode of the task has no timeline', () => {
    expect(rounded(batchSamples([result(0, 1), result(1, 0), result(2, 0, timelines(0))], rules))).toEqual([
      [NaN, 0.707, 0.707],
      [NaN, -0.707, -0.707],
    ]);
  });

  it('are those that were selected, as often as they were', () => {
    const samples = batchSamples(
      [result(0, 1, { selected: 2 }), result(1, 0, { selected: 1 }), result(2, 0, { selected: 0 })],
      rules,
    );
    expect(samples.map(({ episode }) => episode)).toEqual([0, 0, 1]);
    expect(rounded(samples)[0]).toEqual([0.577, 0.577, 0.577]);
  });

  it('are thinned out by the seed where an episode has too many', () => {
    const drop = (seed: number): (string | null)[] =>
      batchSamples([result(0, 1, timelines(6)), result(1, 0)], { perEpisode: 2, seed }).map(
        ({ dropped }) => dropped,
      );
    expect(drop(1)).toEqual(drop(1));
    expect(drop(1).filter((one) => one === null)).toHaveLength(3);
    expect(drop(1)[6]).toBeNull();
    expect(new Set(Array.from({ length: 20 }, (_, seed) => drop(seed).join())).size).toBeGreaterThan(5);
    const samples = batchSamples([result(0, 1, timelines(6)), result(1, 0)], { perEpisode: 2, seed: 1 });
    expect(samples.map(({ grpoAdvantage }) => grpoAdvantage === null)).toEqual(
      samples.map(({ dropped }) => dropped !== null),
    );
  });

  it('are any, and so many as are drawn, shared out among processes', () => {
    const counts = fc.array(fc.nat(4), { maxLength: 8 });
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 6 }),
        (list, most, world) => {
          const results = list.map((count, episode) => result(episode, episode % 3, timelines(count)));
          const samples = batchSamples(results, { perEpisode: most, seed: 3 }, world);
          expect(samples).toHaveLength(list.reduce((sum, count) => sum + count, 0));
          const kept = list.reduce((sum, count) => sum + Math.min(count, most), 0);
          const left = samples.filter(({ dropped }) => dropped === null);
          expect(left).toHaveLength(kept - (kept % world));
          expect(samples.filter(({ dropped }) => dropped === 'world_size')).toHaveLength(kept % world);
          expect(left.every(({ grpoAdvantage }) => grpoAdvantage !== null)).toBe(true);
        },
      ),
      fuzz(61, 1_000),
    );
  });
});
