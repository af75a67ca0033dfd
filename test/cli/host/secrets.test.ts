import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
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
    const written = path.join(data, 'snapshots', order.snapshot, 'train.yaml');
    const config = `monitor:
  monitor_args: { api_key: ${secret}, password: '\${oc.env:SERVICE_PASSWORD}', url: 'https://ann:${secret}@a.example' }
`;
    await appendFile(written, config);
    const { id } = await runs.start(order, 'ann');
    await eventsUntil(runs, id, (event) => event.type === 'log');
    await runs.close();
    await writeFile(go, '');
    runs = await openRuns(data);
    const events = await eventsUntil(runs, id, isFinalEvent);
    const printed = 'SERVICE_PASSWORD=[redacted]';
    expect(events.flatMap((event) => (event.type === 'log' ? event.lines : []))).toEqual([printed, printed]);
    await ended(runs, id);
    const { text } = await runs.effectiveConfig(id);
    const shown = / api_key: "\[redacted\]" [^]* password: "\*\*\*" [^]* url: "\[redacted\]a\.example" /;
    expect(text).toMatch(shown);
    // Its end is told before it is on the disk.
    await runs.close();
    const folder = path.join(data, 'runs', id);
    for (const name of await readdir(folder)) {
      if (name === 'code') continue;
      const text = await readFile(path.join(folder, name), 'utf8');
      expect(text.includes(secret), name).toBe(name === 'launcher.log');
      expect((await stat(path.join(folder, name))).mode & 0o077, name).toBe(0);
    }
  },
);
