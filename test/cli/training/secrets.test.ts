import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { lineLimit } from '../../../src/training/core/runs/lines.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
  until,
} from '../../tools/host/runsHost.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';

let data = '';
let runs: NodeHostRuns;
beforeEach(async () => {
  data = await newDataFolder();
  runs = await openRuns(data);
});
afterEach(async () => {
  await runs.close();
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
});

test.skipIf(process.platform !== 'linux')(
  'secrets of a run stay out of its events, also after the host was started anew',
  async () => {
    const go = path.join(data, 'go');
    const secret = 'very-much-a-secret';
    const print: Action = { do: 'env', name: 'SERVICE_PASSWORD' };
    // Any variable that is passed can be a secret, also across the place where a long line is cut.
    const label = 'two words, and; marks} here';
    const env = { SERVICE_PASSWORD: secret, RUN_LABEL: label };
    const filler = 'x'.repeat(lineLimit - 12);
    // As Trinity-RFT prints the config that it was started with, and as other code tells of it.
    const written = 'd1b6cc0a77f1';
    const dump = `{'judge': {'openai_api_key': '${written}', 'eos_token': '<|im_end|>'}}\nasks with ${written}\n`;
    const long: Action = { do: 'print', text: `${filler}${label}\n` };
    const actions: Action[] = [print, { do: 'print', text: dump }, long, { do: 'await', file: go }, print];
    const order = await orderOf(data, actions, { env });
    const file = path.join(data, 'snapshots', order.snapshot, 'train.yaml');
    const config = `monitor:
  monitor_args: { api_key: ${secret}, password: '\${oc.env:SERVICE_PASSWORD}', url: 'https://ann:${secret}@a.example' }
judge: { openai_api_key: ${written}, eos_token: '<|im_end|>' }
`;
    await appendFile(file, config);
    const { id } = await runs.start(order, 'ann');
    await eventsUntil(runs, id, (event) => event.type === 'log');
    await runs.close();
    await writeFile(go, '');
    runs = await openRuns(data);
    const events = await eventsUntil(runs, id, isFinalEvent);
    const printed = 'SERVICE_PASSWORD=[redacted]';
    const lines = events.flatMap((event) => (event.type === 'log' ? event.lines : []));
    const isLong = (line: string): boolean => line.includes('xx');
    expect(lines.filter(isLong).join('')).toBe(`${filler}[redacted]`);
    expect(lines.filter((line) => !isLong(line))).toEqual([
      printed,
      "{'judge': {'openai_api_key': '[redacted]', 'eos_token': '<|im_end|>'}}",
      'asks with [redacted]',
      printed,
    ]);
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

test.skipIf(process.platform !== 'linux')(
  'a run is not started without the values of its variables',
  async () => {
    const go = path.join(data, 'go');
    const first = await orderOf(data, [{ do: 'await', file: go }], { gpus: 2 });
    const env = { SOME_TEXT: 'x', OTHER: 'y' };
    const second = await orderOf(data, [{ do: 'print', text: 'started\n' }], { gpus: 1, env });
    const { id: before } = await runs.start(first, 'ann');
    const { id } = await runs.start(second, 'ann');
    await until(runs, before, ({ state }) => state === 'running');
    await runs.close();
    await rm(path.join(data, 'runs', id, 'order.json'));
    await writeFile(go, '');
    runs = await openRuns(data);
    expect(await ended(runs, id)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('(SOME_TEXT, OTHER)') as unknown,
    });
  },
);
