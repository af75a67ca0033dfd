import { rm } from 'node:fs/promises';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';

const linesBySource = (events: readonly RunEvent[]): readonly string[] =>
  events
    .flatMap((event) => (event.type === 'log' ? event.lines.map((line) => `${event.source}: ${line}`) : []))
    .sort();

describe.skipIf(process.platform !== 'linux')('a run', () => {
  test('has the logs of Ray and of the services that its launcher has started, each once', async () => {
    const data = await newDataFolder();
    onTestFinished(() => rm(data, { recursive: true, force: true, maxRetries: 5 }));
    const companion = (tag: string, text: string): Action => ({ do: 'companion', tag, text });
    const actions = [
      companion('ray_service', 'Ray runtime started.'),
      companion('appworld_service', 'Starting server on 8000'),
      { do: 'print', text: 'hello\n' } as const,
      companion('appworld_service', 'KeyError: 7'),
      companion('ray_service', 'no longer'),
    ];
    const runs = await openRuns(data);
    onTestFinished(() => runs.close());
    const { id } = await runs.start(await orderOf(data, actions), 'ann');
    expect(await ended(runs, id)).toMatchObject({ state: 'finished', phase: 'starting Ray' });
    expect(linesBySource(await eventsUntil(runs, id, isFinalEvent))).toEqual([
      'launcher: hello',
      'ray: Ray runtime started.',
      'ray: no longer',
      'service/appworld: KeyError: 7',
      'service/appworld: Starting server on 8000',
    ]);
  });
});
