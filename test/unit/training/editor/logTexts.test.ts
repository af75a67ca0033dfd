import { expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/training/core/protocol/runs.ts';
import { LogTexts } from '../../../../src/training/editor/logTexts.ts';

const line = (seq: number, source: string, ...lines: string[]): RunEvent => ({
  type: 'log',
  seq,
  at: 0,
  source,
  lines,
  to: seq,
});

it('a run’s events become a text per actor, with what the host tells between the lines of the launcher', () => {
  const texts = new LogTexts({ backbone: 'trinity', launcher: 'ajet' });
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

it('what Ray’s actors print through the launcher is in a channel per actor as well, of all its processes', () => {
  const worker = (pid: number, text: string): string => `(WorkerDict pid=${pid}, ip=10.0.0.2) ${text}`;
  const lines = [
    'driver',
    '(TaskRunner pid=7) begins',
    worker(8, 'one'),
    worker(9, 'two'),
    '(raylet) no actor',
    '(WorkflowRunner(id=3) pid=10) three',
    '(pid=11) starting',
  ];
  const long = { ...line(2, 'launcher', worker(8, 'half of ')), part: true } as RunEvent;
  const events = [line(1, 'launcher', ...lines), long, line(3, 'launcher', 'a line')];
  const all = [...lines, `${worker(8, 'half of ')}a line`, ''].join('\n');
  const actors = [
    ['TaskRunner', '(TaskRunner pid=7) begins\n'],
    ['WorkerDict', `${worker(8, 'one')}\n${worker(9, 'two')}\n${worker(8, 'half of ')}a line\n`],
    ['WorkflowRunner', '(WorkflowRunner(id=3) pid=10) three\n'],
  ];
  for (const run of [
    { backbone: 'verl', launcher: 'ajet' },
    { backbone: 'trinity', launcher: 'ray' },
  ] as const) {
    expect([...new LogTexts(run).add(events)]).toEqual([['launcher', all], ...actors]);
  }
  const own = [line(0, 'workerdict', 'own'), ...events];
  const known = new LogTexts({ backbone: 'trinity', launcher: 'ray' }).add(own);
  expect([...known.keys()]).toEqual(['workerdict', 'launcher', 'TaskRunner', 'WorkflowRunner']);
  const trinity = new LogTexts({ backbone: 'trinity', launcher: 'trinity' }).add(events);
  expect([...trinity]).toEqual([['launcher', all]]);
});

it('actors of each stage have channels of their own', () => {
  const begins = (stage: number): string =>
    `INFO 03-14 09:26:53 [launcher.py:401] > Starting stage ${stage}/2...`;
  const lines = [begins(1), '(Trainer pid=7) a', begins(2), '(Trainer pid=8) b'];
  const stages = [{ name: 'sft', folder: 'sft', totalSteps: null }];
  const texts = new LogTexts({ backbone: 'trinity', launcher: 'ray', stages });
  const saved: RunEvent = { type: 'checkpoint', seq: 2, at: 0, step: 1, stage: 2 };
  expect([...texts.add([line(1, 'launcher', ...lines), saved])]).toEqual([
    ['launcher', `${lines.join('\n')}\n[AgentJet] Checkpoint of step 1 of stage 2.\n`],
    ['sft/Trainer', '(Trainer pid=7) a\n'],
    ['2/Trainer', '(Trainer pid=8) b\n'],
  ]);
});

it('has no channel for each of a thousand actors', () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `(Actor${at} pid=${at}) hello`);
  const texts = new LogTexts({ backbone: 'verl', launcher: 'ajet' }).add([line(1, 'launcher', ...lines)]);
  expect(texts.size).toBe(13);
  expect(texts.get('launcher')?.split('\n')).toHaveLength(1_001);
});
