import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NodeHostRuns } from '../../../src/node/host/runs/hostRuns.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { ended, newDataFolder, openRuns, orderOf } from '../../tools/host/runsHost.ts';

const checkpoint = (step: number): Action[] => [{ do: 'checkpoint', step }];

describe.skipIf(process.platform !== 'linux')('runs that go on from one another', () => {
  let data = '';
  let runs: NodeHostRuns;

  async function opened(): Promise<void> {
    data = await newDataFolder();
    runs = await openRuns(data);
    onTestFinished(async () => {
      await runs.close();
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  /** A run that has gone on from another, in its folder. */
  async function resumed(run: string, step: number): Promise<string> {
    const from = { run, step: step - 1, as: 'resume' } as const;
    const order = await orderOf(data, checkpoint(step), { from }, runs.get(run).jobFolder ?? '');
    const { id } = await runs.start(order, 'ann');
    expect((await ended(runs, id)).state).toBe('finished');
    return id;
  }

  test('keep what is theirs when one between them is removed', async () => {
    await opened();
    const { id: first } = await runs.start(await orderOf(data, checkpoint(1)), 'ann');
    const { jobFolder } = await ended(runs, first);
    const second = await resumed(first, 2);
    const third = await resumed(second, 3);
    await runs.remove(second, { checkpoints: false });
    expect(runs.placeOf(third, jobFolder ?? '')).toEqual({ kind: 'own' });
    await runs.close();
    runs = await openRuns(data);
    const fourth = await resumed(third, 4);
    expect(runs.get(fourth).jobFolder).toBe(jobFolder);
    for (const id of [first, third]) await runs.remove(id, { checkpoints: false });
    const steps = (): boolean[] =>
      [1, 2, 3, 4].map((step) => existsSync(path.join(jobFolder ?? '', `global_step_${step}`)));
    expect(steps()).toEqual([true, true, true, true]);
    await runs.remove(fourth, { checkpoints: true });
    expect(steps()).toEqual([false, false, false, false]);
  });

  test('have what they go on from until they have started', async () => {
    await opened();
    const { id: first } = await runs.start(await orderOf(data, checkpoint(1)), 'ann');
    const { jobFolder } = await ended(runs, first);
    const { id: holder } = await runs.start(await orderOf(data, [{ do: 'hang' }], { gpus: 2 }), 'ann');
    const from = { run: first, step: 1, as: 'resume' } as const;
    const order = await orderOf(data, checkpoint(2), { from, gpus: 1 }, jobFolder ?? '');
    const { id: next } = await runs.start(order, 'ann');
    for (const checkpoints of [true, false]) {
      await expect(runs.remove(first, { checkpoints })).rejects.toMatchObject({ code: 'host/run-needed' });
    }
    await runs.cancel(holder, 'ann');
    expect((await ended(runs, next)).state).toBe('finished');
    await ended(runs, holder);
    await runs.remove(first, { checkpoints: false });
    expect(runs.list().map(({ id }) => id)).toEqual([holder, next]);
  });
});
