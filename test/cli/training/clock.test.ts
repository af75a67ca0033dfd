import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';

describe.skipIf(process.platform !== 'linux')('a clock that jumps', () => {
  test('loses nothing of a run, and runs stay in the order in which they came', async () => {
    const data = await newDataFolder();
    const day = 86_400_000;
    let jump = 0;
    const now = (): number => Date.now() + jump;
    const runs = await openRuns(data, { clock: { ...systemClock, now } });
    const go = path.join(data, 'go');
    const { id } = await runs.start(
      await orderOf(data, [
        { do: 'lines', count: 500, prefix: 'before' },
        { do: 'await', file: go },
        { do: 'lines', count: 500, prefix: 'after' },
      ]),
      'ann',
    );
    await eventsUntil(
      runs,
      id,
      (event) => event.type === 'log' && event.lines.some((line) => line.startsWith('before 499')),
    );
    jump = -30 * day;
    const second = await runs.start(await orderOf(data, [{ do: 'print', text: 'second\n' }]), 'ann');
    jump = 30 * day;
    await writeFile(go, '');
    const events = await eventsUntil(runs, id, isFinalEvent);
    expect(events.filter(({ type }) => type === 'alarm')).toEqual([]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.flatMap((event) => (event.type === 'log' ? event.lines : []))).toHaveLength(1_000);
    expect(await ended(runs, id)).toMatchObject({ state: 'finished' });
    expect(await ended(runs, second.id)).toMatchObject({ state: 'finished' });
    expect(runs.list().map((run) => run.id)).toEqual([id, second.id]);
    await runs.close();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });
});
