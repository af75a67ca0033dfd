import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { RewardCurves } from '../../../src/training/node/host/runs/rewardCurves.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';

const best = 'experience_pipeline/group_advantages/reward_mean/mean';
const step = (number: number, name: string, value: number): Action => ({
  do: 'metrics',
  step: number,
  values: { [name]: value },
});

describe.skipIf(process.platform !== 'linux')('rewards by step', () => {
  test('are those of the best curve, and go on with the run', async () => {
    const data = await newDataFolder();
    const runs = await openRuns(data);
    const go = path.join(data, 'go');
    const { id } = await runs.start(
      await orderOf(data, [
        step(1, 'critic/rewards/mean', 9),
        step(1, best, 0.25),
        step(2, 'critic/rewards/mean', 9),
        step(3, best, 0.5),
        { do: 'lines', count: 100, prefix: 'between' },
        { do: 'await', file: go },
        step(4, best, 0.75),
      ]),
      'ann',
    );
    const rewards = new RewardCurves(runs);
    await eventsUntil(
      runs,
      id,
      (event) => event.type === 'log' && event.lines.some((line) => line.startsWith('between 99')),
    );
    expect(await Promise.all([0, 1, 2, 3, 4].map((at) => rewards.at(id, at)))).toEqual([
      null,
      0.25,
      0.25,
      0.5,
      0.5,
    ]);
    await writeFile(go, '');
    await eventsUntil(runs, id, isFinalEvent);
    await ended(runs, id);
    expect(await rewards.at(id, 4)).toBe(0.75);
    await expect(rewards.at('20260101-000000-000000', 1)).rejects.toMatchObject({ code: 'host/no-run' });
    await runs.close();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });
});
