import { describe, expect, it } from 'vitest';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { advantagesOf, groupsOf, measures } from '../../../src/tracking/core/groups.ts';

function episode(number: number, taskId: string, reward: number | null): EpisodeResult {
  const error = reward === null ? { code: 'x/y', message: 'It broke.' } : null;
  const common = { episode: number, taskId, repeat: number % 2, llmCalls: 2, seconds: 0.5 };
  return { ...common, reward, isSuccess: reward === 1, error };
}

const results = [episode(0, 'a', 1), episode(1, 'a', 0), episode(2, '', null), episode(3, '', null)];

describe('groups', () => {
  it('have means over the episodes that were scored', () => {
    expect(groupsOf(results, 2)).toMatchObject([
      { group: 0, taskId: 'a', episodes: 2, failed: 0, meanReward: 0.5, successRate: 0.5, whole: true },
      { group: 1, taskId: '', episodes: 2, failed: 2, meanReward: null, successRate: null, deviation: null },
    ]);
    expect(measures(results)).toEqual({ episodes: 4, failed: 2, meanReward: 0.5, successRate: 0.5 });
  });

  it('are apart where tasks share an id', () => {
    const shared = [episode(0, 'a', 1), episode(1, 'a', 1), episode(2, 'a', 0), episode(3, 'a', 0)];
    expect(groupsOf(shared, 2).map(({ meanReward }) => meanReward)).toEqual([1, 0]);
  });

  it('compare what training takes for rewards', () => {
    const tracking = { timelines: 1, tokens: 9, trainableTokens: 4, problems: [] };
    const mad = { ...episode(1, 'a', 1), tracking: { ...tracking, madnessReward: -1 } };
    const silent = { ...episode(2, 'a', 1), tracking: { ...tracking, timelines: 0 } };
    const [group] = groupsOf([episode(0, 'a', 1), mad, silent, episode(3, 'a', null)], 4);
    expect(group?.members.map(({ reward, stepReward }) => [reward, stepReward])).toEqual([
      [1, 1],
      [1, -1],
      [1, null],
      [null, null],
    ]);
    expect(group?.deviation).toBeCloseTo(Math.SQRT2, 12);
  });
});

describe('advantages', () => {
  it.each<[string, (number | null)[], (number | null)[]]>([
    ['are distances from the mean in deviations', [1, 0, 0, 0], [1.499997, -0.499999, -0.499999, -0.499999]],
    ['are 0 where all rewards are equal', [0.1, 0.1, 0.1], [0, 0, 0]],
    ['take a deviation for 0.01 at least', [1, 1.001], [-0.049995, 0.049995]],
    ['are the reward of a single episode', [0.7], [0.699999]],
    ['leave out what makes no sample', [null, 2, null], [null, 1.999998, null]],
    ['are none of nothing', [null], [null]],
  ])('%s', (_, rewards, expected) => {
    const rounded = advantagesOf(rewards).map((one) => one && Math.round(one * 1e6) / 1e6);
    expect(rounded).toEqual(expected);
  });
});
