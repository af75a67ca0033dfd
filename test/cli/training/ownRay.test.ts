import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { ended, newDataFolder, openRuns, orderOf, until } from '../../tools/host/runsHost.ts';

test.skipIf(process.platform !== 'linux')('runs with a Ray of their own go one after another', async () => {
  const data = await newDataFolder();
  const runs = await openRuns(data);
  onTestFinished(async () => {
    await runs.close();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });
  const isRunning = ({ state }: RunRecord): boolean => state === 'running';
  const started = async (name: string, flags: readonly string[]): Promise<string> => {
    const order = await orderOf(data, [{ do: 'await', file: path.join(data, name) }], {
      launcher: 'ajet',
      flags: [...flags],
      gpus: 1,
    });
    return (await runs.start(order, 'ann')).id;
  };
  const first = await started('go 1', ['--with-ray']);
  await until(runs, first, isRunning);
  const second = await started('go 2', ['--with-ray']);
  // It would find the first run's, which ends with that run.
  const third = await started('go 3', []);
  const reason = `Waits for run ${first}, which has a separate Ray.`;
  for (const id of [second, third]) {
    expect((await until(runs, id, (run) => run.reason !== null)).reason).toBe(reason);
  }
  expect(runs.beside.rayHolder()).toBe(first);
  await writeFile(path.join(data, 'go 1'), '');
  await until(runs, second, isRunning);
  expect(await until(runs, third, (run) => run.reason?.includes(second) === true)).toMatchObject({
    state: 'queued',
    devices: [],
  });
  await writeFile(path.join(data, 'go 2'), '');
  await writeFile(path.join(data, 'go 3'), '');
  for (const id of [first, second, third]) expect((await ended(runs, id)).state).toBe('finished');
});
