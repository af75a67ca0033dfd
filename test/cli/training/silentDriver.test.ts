import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import { HostLaunch } from '../../../src/training/node/host/launch/hostLaunch.ts';
import { ended, newDataFolder, openRuns, orderOf, scripted, until } from '../../tools/host/runsHost.ts';

test.skipIf(process.platform !== 'linux')(
  'runs wait for a driver that does not answer when the host looks for the first time',
  async () => {
    const data = await newDataFolder();
    const nvidiaSmi = path.join(data, 'nvidia-smi');
    const answers = path.join(data, 'answers');
    const lines = ['#!/bin/sh', `test -e '${answers}' || exit 15`, 'echo "0, X, 80000, 0, 0"'];
    await writeFile(nvidiaSmi, `${lines.join('\n')}\n`);
    await chmod(nvidiaSmi, 0o755);
    const { env } = process;
    const launchers = { trinity: scripted };
    const launch = new HostLaunch({ nvidiaSmi, launchers, env, dataFolder: data, clock: systemClock });
    const runs = await openRuns(data, { launch, gpuInterval: 20 });
    onTestFinished(async () => {
      await runs.close();
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    });
    const order = await orderOf(data, [], { gpus: 1 });
    const { id } = await runs.start(order, 'ann');
    const { state, reason } = await until(runs, id, (record) => record.reason !== null);
    expect(state).toBe('queued');
    expect(reason).toBe('Waits for one GPU: the GPU driver does not respond.');
    await writeFile(answers, '');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', devices: [0] });
  },
);
