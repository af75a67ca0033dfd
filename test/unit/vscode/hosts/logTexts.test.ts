import { expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/protocol/host/runs.ts';
import { LogTexts } from '../../../../src/vscode/hosts/logTexts.ts';

const line = (seq: number, source: string, ...lines: string[]): RunEvent => ({
  type: 'log',
  seq,
  at: 0,
  source,
  lines,
  to: seq,
});

it('a run’s events become a text per actor, with what the host tells between the lines of the launcher', () => {
  const texts = new LogTexts();
  const first = texts.add([
    { type: 'state', seq: 1, at: 0, state: 'running' },
    line(2, 'launcher', 'hello', 'world'),
    line(3, 'explorer', 'Explore step 1 started'),
    { type: 'metrics', seq: 4, at: 0, role: 'explorer', step: 1, values: {} },
    { type: 'checkpoint', seq: 5, at: 0, step: 1 },
    { ...line(6, 'trainer', 'whole', 'half of '), part: true } as RunEvent,
    line(7, 'trainer', 'a line'),
    line(8, 'explorer', '  File "/x/site-packages/ray/worker.py", line 1, in get'),
  ]);
  expect([...first]).toEqual([
    ['launcher', '[AgentJet] running\nhello\nworld\n[AgentJet] Checkpoint of step 1.\n'],
    ['explorer', 'Explore step 1 started\n'],
    ['trainer', 'whole\nhalf of a line\n'],
  ]);
  expect([...texts.end()]).toEqual([['explorer', '  ⋯ 1 frame of ray\n']]);
  const failed: RunEvent = { type: 'state', seq: 9, at: 0, state: 'failed', reason: 'Out of memory.' };
  expect([...texts.add([failed])]).toEqual([['launcher', '[AgentJet] failed: Out of memory.\n']]);
});
