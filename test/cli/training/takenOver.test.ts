import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';

/** A folder of this test alone. */
async function newFolder(): Promise<string> {
  const folder = await newDataFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

describe.skipIf(process.platform !== 'linux')('a run whose folder is there already', () => {
  test('has its own lines from the folder beside it, each once, also after the host was started anew', async () => {
    const [data, results] = [await newFolder(), await newFolder()];
    const [earlier, moved] = ['first', 'first_20260314092653'].map((name) =>
      path.join(results, 'maths', name),
    );
    await mkdir(path.join(earlier ?? '', 'log'), { recursive: true });
    const failed = 'ERROR 03-14 09:26:53 [trainer.py:1] Error in Trainer: an earlier one\n'.repeat(50);
    for (const name of ['explorer.log', 'trainer.log']) {
      await writeFile(path.join(earlier ?? '', 'log', name), failed);
    }
    const go = path.join(data, 'go');
    const log = (text: string, file: string): Action => ({ do: 'log', text, file });
    const actions: Action[] = [
      { do: 'log', text: 'Experiment [first] already exists, renamed as first_20260314092653.' },
      log('one', 'explorer.log'),
      { do: 'await', file: go },
      log('two', 'explorer.log'),
      log('three', 'trainer.log'),
    ];
    const order = await orderOf(data, actions, {}, moved);
    const config = `mode: both\nproject: maths\nname: first\ncheckpoint_root_dir: ${results}\nmodel:\n  model_path: x\n`;
    await writeFile(path.join(data, 'snapshots', order.snapshot, 'train.yaml'), config);
    let runs = await openRuns(data);
    const { id } = await runs.start(order, 'ann');
    await eventsUntil(runs, id, (event) => event.type === 'log' && event.source === 'explorer');
    await runs.close();
    await writeFile(go, '');
    runs = await openRuns(data);
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', jobFolder: moved });
    const events = await eventsUntil(runs, id, isFinalEvent);
    await runs.close();
    const lines = events.flatMap((event) =>
      event.type === 'log' && event.source !== 'launcher' ? [`${event.source} ${event.lines.join()}`] : [],
    );
    expect(lines.map((line) => line.replace(/ .* /, ' '))).toEqual([
      'explorer one',
      'explorer two',
      'trainer three',
    ]);
  });
});

/** A clock by which it is always time to look again. */
const restless: typeof systemClock = {
  ...systemClock,
  every: (_milliseconds, callback) => {
    let next = setImmediate(function look() {
      callback();
      next = setImmediate(look);
    });
    return { dispose: () => clearImmediate(next) };
  },
};

describe.skipIf(process.platform !== 'linux')('runs that ended while there was no host', () => {
  test('are taken over, with the logs of their jobs, before anybody looks at them', async () => {
    const data = await newFolder();
    const go = path.join(data, 'go');
    const actions: Action[] = [
      { do: 'print', text: 'on\n' },
      { do: 'await', file: go },
      { do: 'log', text: 'late', file: 'explorer.log' },
    ];
    let runs = await openRuns(data);
    const ids: string[] = [];
    for (let made = 0; made < 4; made++) {
      const { id } = await runs.start(await orderOf(data, actions), 'ann');
      await eventsUntil(runs, id, (event) => event.type === 'log');
      ids.push(id);
    }
    await runs.close();
    await writeFile(go, '');
    for (const id of ids) {
      const exit = path.join(data, 'runs', id, 'exit.json');
      while (!existsSync(exit)) await new Promise(setImmediate);
    }
    runs = await openRuns(data, { clock: restless });
    for (const id of ids) {
      const events = await eventsUntil(runs, id, isFinalEvent);
      expect(events.some((event) => event.type === 'log' && event.source === 'explorer')).toBe(true);
      expect(events.some((event) => event.type === 'notice' && event.text.includes('taken over'))).toBe(true);
    }
    await runs.close();
  });
});
