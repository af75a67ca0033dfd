import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';

test.skipIf(process.platform !== 'linux')(
  'secrets of a run stay out of its events, also after the host was started anew',
  async () => {
    const data = await newDataFolder();
    let runs = await openRuns(data);
    onTestFinished(async () => {
      await runs.close();
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    });
    const go = path.join(data, 'go');
    const secret = 'very-much-a-secret';
    const print: Action = { do: 'env', name: 'SERVICE_PASSWORD' };
    const env = { SERVICE_PASSWORD: secret };
    const order = await orderOf(data, [print, { do: 'await', file: go }, print], { env });
    const { id } = await runs.start(order, 'ann');
    await eventsUntil(runs, id, (event) => event.type === 'log');
    await runs.close();
    await writeFile(go, '');
    runs = await openRuns(data);
    const events = await eventsUntil(runs, id, isFinalEvent);
    const printed = 'SERVICE_PASSWORD=[redacted]';
    expect(events.flatMap((event) => (event.type === 'log' ? event.lines : []))).toEqual([printed, printed]);
    await ended(runs, id);
    const folder = path.join(data, 'runs', id);
    for (const name of await readdir(folder)) {
      if (name === 'code') continue;
      const text = await readFile(path.join(folder, name), 'utf8');
      expect(text.includes(secret), name).toBe(name === 'launcher.log');
    }
  },
);
