import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import { HostLaunch } from '../../../src/training/node/host/launch/hostLaunch.ts';
import { GpuHistory } from '../../../src/training/node/host/runs/gpuHistory.ts';
import { ended, newDataFolder, openRuns, orderOf, scripted } from '../../tools/host/runsHost.ts';

test.skipIf(process.platform !== 'linux')(
  'what its GPU did while a run went on is told after its end',
  async () => {
    const data = await newDataFolder();
    const nvidiaSmi = path.join(data, 'nvidia-smi');
    const lines = ['0, NVIDIA H100, 81559, 0, 0', '1, NVIDIA H100, 81559, 512, 97'];
    await writeFile(nvidiaSmi, `#!/bin/sh\nprintf '%s\\n' '${lines.join("' '")}'\n`);
    await chmod(nvidiaSmi, 0o755);
    const { env } = process;
    const launch = new HostLaunch({
      ...{ nvidiaSmi, launchers: { trinity: scripted } },
      ...{ env, dataFolder: data, clock: systemClock },
    });
    const runs = await openRuns(data, { launch, gpuInterval: 20 });
    const open = (): GpuHistory =>
      new GpuHistory({
        runs,
        folderOf: (run) => path.join(data, 'runs', run),
        gpus: () => launch.gpus(),
        clock: { ...systemClock, every: (_, look) => systemClock.every(20, look) },
        logger: { log: (_, message) => console.error(message) },
      });
    let history = open();
    onTestFinished(async () => {
      await history.close();
      await runs.close();
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    });
    const go = path.join(data, 'go');
    const { id } = await runs.start(await orderOf(data, [{ do: 'await', file: go }], { gpus: 1 }), 'ann');
    const gpus = [{ index: 0, load: 0, used: 0, memory: 81_559 }];
    await expect.poll(() => history.of(id)).toContainEqual(expect.objectContaining({ gpus }));
    await writeFile(go, '');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', devices: [0] });
    await history.close();
    history = open();
    const noted = await history.of(id);
    expect(noted[0]).toMatchObject({ looks: 1, gpus });
  },
);
