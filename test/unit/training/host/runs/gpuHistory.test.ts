import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CodedError } from '../../../../../src/base/core/errors.ts';
import { gpusOf } from '../../../../../src/training/node/host/launch/launchers.ts';
import { GpuHistory } from '../../../../../src/training/node/host/runs/gpuHistory.ts';
import type { RunRecord } from '../../../../../src/training/core/protocol/runs.ts';
import { record } from '../../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../../fakeClock.ts';
import { temporaryFolder } from '../../client/wire/wireHost.ts';

const [one, two] = ['20261123-070000-aaaaaa', '20261123-070000-bbbbbb'];

interface Machine {
  readonly folder: string;
  readonly clock: FakeClock;
  runs: RunRecord[];
  /** How often the driver was asked. */
  readonly asked: () => Promise<number>;
  readonly answers: (...lines: readonly string[]) => Promise<void>;
  readonly host: () => GpuHistory;
}

/** Two runs on three GPUs, whose driver is a program that says what a test has it say. */
async function machine(): Promise<Machine> {
  const folder = temporaryFolder();
  const nvidiaSmi = path.join(folder, 'nvidia-smi');
  const [said, calls] = [path.join(folder, 'said'), path.join(folder, 'calls')];
  await writeFile(nvidiaSmi, `#!/bin/sh\necho called >> '${calls}'\ncat '${said}'\n`);
  await chmod(nvidiaSmi, 0o755);
  await writeFile(calls, '');
  for (const run of [one, two]) await mkdir(path.join(folder, run));
  const clock = new FakeClock();
  const found: Machine = {
    folder,
    clock,
    runs: [
      { ...record, id: one, state: 'running', devices: [0, 1] },
      { ...record, id: two, state: 'running', devices: [2] },
    ],
    asked: async () => (await readFile(calls, 'utf8')).split('\n').length - 1,
    answers: (...lines) => writeFile(said, `${lines.join('\n')}\n`),
    host: () => {
      const history = new GpuHistory({
        runs: {
          list: () => found.runs,
          get: (run) => {
            const known = found.runs.find(({ id }) => id === run);
            if (known === undefined) throw new CodedError({ code: 'host/no-run', message: 'None.' });
            return known;
          },
        },
        folderOf: (run) => path.join(folder, run),
        gpus: () => gpusOf({ nvidiaSmi }),
        clock,
        logger: { log: () => undefined },
      });
      onTestFinished(() => history.close());
      return history;
    },
  };
  await found.answers('0, A100, 81920, 40960, 80', '1, A100, 81920, 20480, 60', '2, A100, 81920, 100, [N/A]');
  return found;
}

describe.skipIf(process.platform === 'win32')('what the GPUs of runs do', () => {
  test('is noted for each run by one look, and read again by the next host', async () => {
    const found = await machine();
    const host = found.host();
    found.clock.advance(15_000);
    await expect.poll(() => host.of(two)).toHaveLength(1);
    await found.answers('0, A100, 81920, 0, 10', '1, A100, 81920, 0, 20');
    await host.close();
    expect(await found.asked()).toBe(1);
    const first = {
      ...{ at: 15_000, looks: 1 },
      gpus: [
        { index: 0, load: 80, used: 40_960, memory: 81_920 },
        { index: 1, load: 60, used: 20_480, memory: 81_920 },
      ],
    };
    const next = found.host();
    expect(await next.of(one)).toEqual([first]);
    expect(await next.of(two)).toMatchObject([{ gpus: [{ index: 2, load: null, used: 100 }] }]);
    found.clock.advance(15_000);
    await expect.poll(() => next.of(one)).toMatchObject([first, { at: 30_000, gpus: [{ load: 10 }, {}] }]);
    // Of a driver that no longer tells of its GPU, the other has nothing more.
    expect(await next.of(two)).toHaveLength(1);
    await expect(next.of('another')).rejects.toMatchObject({ code: 'host/no-run' });
  });

  test('stays when they have ended, and nobody asks the driver then', async () => {
    const found = await machine();
    const host = found.host();
    found.clock.advance(15_000);
    await expect.poll(() => host.of(two)).toHaveLength(1);
    found.runs = found.runs.map((run) => ({ ...run, state: 'finished' }));
    await host.close();
    const next = found.host();
    found.clock.advance(60_000);
    await next.close();
    expect(await found.asked()).toBe(1);
    expect(await next.of(one)).toHaveLength(1);
  });

  test('goes on after a line that was half written', async () => {
    const found = await machine();
    const file = path.join(found.folder, one, 'gpus.ndjson');
    await writeFile(file, '\n{"at":1,"looks":1,"gpus":[]}\n{"at":2,"lo');
    const host = found.host();
    found.clock.advance(15_000);
    await expect.poll(() => host.of(two)).toHaveLength(1);
    await host.close();
    expect((await found.host().of(one)).map(({ at }) => at)).toEqual([1, 15_000]);
    await rm(file);
    expect(await found.host().of(one)).toEqual([]);
  });
});
