import path from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  EarlyStop,
  oversamplingOf,
  selectEpisodes,
} from '../../../src/backbone/core/task-rollout/oversampling.ts';
import { performanceReward } from '../../../src/backbone/core/task-rollout/rolloutState.ts';
import { composeText } from '../configs/memoryFiles.ts';

interface Case {
  readonly n: number;
  readonly m: number;
  readonly world: number;
  /** Of each task's episodes; null: it ended without. */
  readonly rewards: readonly (readonly (number | null)[])[];
  /** When each ends. */
  readonly ends: readonly (readonly number[])[];
  /** When each task's episodes were told to stop. */
  readonly stopped: readonly number[];
  /** Null: AgentJet fails. */
  readonly kept: readonly (readonly number[])[] | null;
}

function fixture(name: string): unknown {
  const file = path.join(import.meta.dirname, '../../fixtures/rollout', name);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const cases = fixture('oversampling.json') as readonly Case[];

async function planOf({ n, m }: Pick<Case, 'n' | 'm'>) {
  const text = `ajet: {rollout: {enable_oversample: true, submit_oversample_multiplier: ${m}}}\n`;
  return oversamplingOf((await composeText(text)).config, n);
}

describe('an oversampled rollout', () => {
  it('has cases of every kind', () => {
    const count = (of: (one: Case) => boolean): number => cases.filter(of).length;
    expect(cases).toHaveLength(1000);
    expect(count(({ kept }) => kept?.some((group) => group.length === 0) ?? false)).toBeGreaterThan(300);
    expect(
      count(
        ({ kept, rewards }) => kept?.some((group, at) => group.length < (rewards[at]?.length ?? 0)) ?? false,
      ),
    ).toBeGreaterThan(400);
    expect(count(({ stopped }) => new Set(stopped).size > 1)).toBeGreaterThan(150);
  });

  it('stops the episodes that AgentJet stops, when it does', async () => {
    for (const one of cases) {
      const plan = await planOf(one);
      if (plan === undefined) throw new Error('It has to be a plan.');
      const stop = new EarlyStop(plan, one.rewards.length);
      const stopped = one.rewards.map(() => -1);
      for (let tick = 0; tick < 6; tick++) {
        one.ends.forEach((ends, task) => {
          ends.forEach((end, at) => {
            if (end === tick) stop.ended(task, one.rewards[task]?.[at] ?? undefined);
          });
        });
        for (const task of stop.decide()) stopped[task] = tick;
      }
      expect(stopped).toEqual(one.stopped);
    }
  });

  it('keeps the episodes that AgentJet keeps, in its order', () => {
    for (const one of cases) {
      if (one.kept === null) continue;
      const positions = one.rewards.map((group) => [...group.keys()].filter((at) => group[at] !== null));
      const groups = one.rewards.map((group) => group.filter((reward) => reward !== null));
      const kept = selectEpisodes(groups, { repeat: one.n, worldSize: one.world, random: () => 0 });
      expect(kept.map((group, task) => group.map((at) => positions[task]?.[at]))).toEqual(one.kept);
    }
  });

  it('takes an episode twice where there are too few', () => {
    const options = { repeat: 4, worldSize: 8, random: () => 0.99 };
    expect(selectEpisodes([[1, 1]], options)).toEqual([[0, 1, 1, 1]]);
    expect(selectEpisodes([[], [1]], options)).toEqual([[], [0, 0, 0, 0]]);
  });

  it('compares episodes by the mean that NumPy computes', () => {
    const means = fixture('means.json') as readonly { value: number; count: number; mean: number }[];
    expect(means.map(({ value, count }) => performanceReward(value, count))).toEqual(
      means.map(({ mean }) => mean),
    );
    expect(performanceReward(0.1, 3)).not.toBe(0.1);
    expect(performanceReward(0.7, 0)).toBe(0.7);
  });

  it('needs room between its three numbers', async () => {
    expect(await planOf({ n: 4, m: 1.5 })).toEqual({ repeat: 4, confirm: 5, over: 6 });
    expect(await planOf({ n: 1, m: 1.5 })).toBeUndefined();
    await expect(planOf({ n: 2, m: 1.5 })).rejects.toMatchObject({
      code: 'task-rollout/oversample-multiplier',
      location: { line: 1 },
      message: expect.stringContaining('2 < 2 < 3') as string,
    });
  });
});
