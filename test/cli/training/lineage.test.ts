import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunOrder, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { trackerFile } from '../../../src/training/core/launch/resumeStages.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { stagedConfig } from '../../tools/host/trainConfig.ts';
import { ended, folderSync, newDataFolder, openRuns, orderOf, until } from '../../tools/host/runsHost.ts';

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
    expect(runs.folderAccess(third, jobFolder ?? '')).toEqual({ kind: 'own' });
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

  test('go on from a fork in its folder, and so where upstream has renamed it', async () => {
    await opened();
    const { id: first } = await runs.start(await orderOf(data, checkpoint(1)), 'ann');
    const { jobFolder } = await ended(runs, first);
    const goOn = async (run: string, as: 'resume' | 'fork', actions: readonly Action[] = []) => {
      const order = await orderOf(data, actions, { from: { run, step: 1, as } });
      return ended(runs, (await runs.start(order, 'ann')).id);
    };
    const fork = await goOn(first, 'fork');
    expect([fork.state, fork.jobFolder]).toEqual([
      'finished',
      expect.stringMatching(/first_\d{8}-\d{6}-\w+$/),
    ]);
    const resumed = await goOn(fork.id, 'resume');
    expect([resumed.state, resumed.reason, resumed.jobFolder]).toEqual(['finished', null, fork.jobFolder]);
    const time = '20260314092653';
    await cp(jobFolder ?? '', `${jobFolder ?? ''}_${time}`, { recursive: true });
    const text = `Experiment [first] already exists, renamed as first_${time}.`;
    const renamed = await goOn(first, 'resume', [{ do: 'log', level: 'WARNING', text }]);
    expect(renamed.jobFolder).toBe(`${jobFolder ?? ''}_${time}`);
    const again = await goOn(renamed.id, 'resume');
    expect([again.state, again.reason, again.jobFolder]).toEqual(['finished', null, renamed.jobFolder]);
  });

  test('go on in folders that upstream has made for stages in place of others', async () => {
    await opened();
    const root = await newDataFolder();
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const names = ['sft', 'rl'];
    const trained = async (more: string, from?: RunOrder['from']): Promise<RunRecord> => {
      const actions = names.flatMap((_, at): Action[] => [{ do: 'stage', at, names }, ...checkpoint(1)]);
      const order = await orderOf(data, actions, from && { from }, null);
      const text = `${stagedConfig.replace('./checkpoints', root)}${more}`;
      await writeFile(path.join(data, 'snapshots', order.snapshot, 'train.yaml'), text);
      return ended(runs, (await runs.start(order, 'ann')).id);
    };
    const foldersOf = ({ state, stages = [] }: RunRecord): string[] => [
      state,
      ...stages.map(({ name, folder }) => `${name} in ${folder}`),
    ];
    const first = await trained('');
    expect(foldersOf(first)).toEqual(['finished', 'sft in sft', 'rl in rl']);
    // The first stage is skipped, and has a new folder nevertheless.
    const anew = await trained('continue_from_checkpoint: false\n');
    const renamed = ['finished', 'sft in sft_20260314092653', 'rl in rl_20260314092653'];
    expect(foldersOf(anew)).toEqual(renamed);
    expect(anew.jobFolder).toBe(first.jobFolder);
    const again = await trained('', { run: anew.id, step: 1, as: 'resume', stage: 'rl' });
    expect(foldersOf(again)).toEqual(renamed);
    await runs.remove(first.id, { checkpoints: false });
    await runs.remove(anew.id, { checkpoints: false });
    await runs.remove(again.id, { checkpoints: true });
    expect(existsSync(path.join(first.jobFolder ?? '', 'rl_20260314092653'))).toBe(false);
  });

  test('have the folder to themselves until they have ended', async () => {
    await opened();
    const waiting: Action[] = [{ do: 'hang' }];
    const { id: first } = await runs.start(await orderOf(data, [...checkpoint(1), ...waiting]), 'ann');
    await until(runs, first, ({ state }) => state === 'running');
    const jobFolder = runs.get(first).jobFolder ?? '';
    const from = { run: first, step: 1, as: 'resume' } as const;
    const again = async (gpus: number): Promise<string> => {
      const order = await orderOf(data, waiting, { from, gpus }, jobFolder);
      return (await runs.start(order, 'ann')).id;
    };
    const inUse = (by: string): object => {
      return { code: 'host/folder-in-use', message: expect.stringContaining(by) as string };
    };
    await expect(again(0)).rejects.toMatchObject(inUse(first));
    await expect.poll(() => existsSync(path.join(jobFolder, trackerFile))).toBe(true);
    await runs.cancel(first, 'ann');
    await ended(runs, first);
    // Of two that are ordered at once one gets it, and keeps it while it waits for GPUs, and when the host begins anew.
    const { id: holder } = await runs.start(await orderOf(data, waiting, { gpus: 2 }), 'ann');
    const ordered = await Promise.allSettled([again(1), again(1)]);
    const [second = ''] = ordered.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const [reason] = ordered.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(reason).toMatchObject(inUse(second));
    await runs.close();
    runs = await openRuns(data);
    expect(runs.get(second).state).toBe('queued');
    await expect(again(0)).rejects.toMatchObject(inUse(second));
    await runs.cancel(holder, 'ann');
    await until(runs, second, ({ state }) => state === 'running');
    await expect(again(0)).rejects.toMatchObject(inUse(second));
    await runs.cancel(second, 'ann');
    await ended(runs, second);
    const third = await again(0);
    await until(runs, third, ({ state }) => state === 'running');
    await runs.cancel(third, 'ann');
  });

  test('have it to themselves also where another config names the same folder', async () => {
    await opened();
    const job = path.join(data, 'elsewhere', 'maths', 'first');
    const named = async (actions: readonly Action[], more = ''): Promise<string> => {
      const order = await orderOf(data, actions, {}, job);
      const config = path.join(data, 'snapshots', order.snapshot, 'train.yaml');
      const text = await readFile(config, 'utf8');
      await writeFile(config, text.replace('./checkpoints', path.join(data, 'elsewhere')) + more);
      return (await runs.start(order, 'ann')).id;
    };
    data = await realpath(data);
    await runs.close();
    // The folder is not in that of the host.
    const home = path.join(data, 'host');
    await mkdir(home);
    runs = await openRuns(home, { sync: folderSync(path.join(data, 'snapshots')) });
    const first = await named([...checkpoint(1), { do: 'hang' }]);
    await until(runs, first, ({ state }) => state === 'running');
    await expect.poll(() => existsSync(path.join(job, trackerFile))).toBe(true);
    const second = await named([]);
    const { state, reason } = await ended(runs, second);
    expect([state, reason]).toEqual(['failed', expect.stringContaining(`The run ${first} has not ended`)]);
    // Upstream makes a new folder for it.
    const renamed = await named([], 'continue_from_checkpoint: false\n');
    expect((await ended(runs, renamed)).state).toBe('finished');
    await runs.cancel(first, 'ann');
    await ended(runs, first);
    expect((await ended(runs, await named([]))).state).toBe('finished');
  });
});
