import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../../src/training/core/protocol/runs.ts';
import { numberEvents, RunFold, type RunEventBody } from '../../../../../src/training/core/runs/fold.ts';
import { companionSource } from '../../../../../src/training/core/runs/markers.ts';

/** All events that come of some, a minute apart; what each brings with it comes right after it. */
function told(fold: RunFold, bodies: readonly RunEventBody[]): RunEvent[] {
  return bodies.flatMap((body) => [...numberEvents(fold, [body], (fold.state.seq + 1) * 60_000)].flat());
}

let to = 0;
const line = (text: string, source = 'launcher'): RunEventBody => ({
  type: 'log',
  source,
  lines: [text],
  to: ++to,
});
const logged = (text: string, source?: string): RunEventBody =>
  line(`INFO 03-14 09:26:53 [some_file.py:7] ${text}`, source);
const metrics = (step: number, values: Record<string, number>, source?: string): RunEventBody =>
  line(`INFO 03-14 09:26:53 [monitor.py:88] Step ${step}: ${JSON.stringify(values)}`, source);
const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const phases = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'phase' ? [event.phase] : []));

describe('lines that come together', () => {
  const joined = (bodies: readonly RunEventBody[]): unknown[] =>
    [...numberEvents(new RunFold(), bodies, 0)]
      .flat()
      .map((event) => (event.type === 'log' ? event.lines : event.type));

  test('are one event, up to one of another source, one that goes on and one that brings something', () => {
    const bodies = [
      ...[line('a'), line(''), line('b'), line('of another', 'trainer'), line('c')],
      { ...line('long '), part: true } as const,
      ...[line('and on'), metrics(1, { x: 1 }), line('d'), { type: 'notice', text: 'x' } as const, line('e')],
    ];
    expect(joined(bodies)).toEqual([
      ['a', '', 'b'],
      ['of another'],
      ['c', 'long '],
      ['and on', expect.stringContaining('Step 1')],
      'metrics',
      'phase',
      ['d'],
      'notice',
      ['e'],
    ]);
  });

  test('are numbered without a gap, and are so many as an event may hold', () => {
    const bodies = Array.from({ length: 100_000 }, (_, at) =>
      line(at % 3 === 0 ? '' : `${at} ${'x'.repeat(at % 200)}`),
    );
    const events = [...numberEvents(new RunFold(), bodies, 0)].flat();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.flatMap((event) => (event.type === 'log' ? event.lines : []))).toEqual(
      bodies.flatMap((body) => (body.type === 'log' ? body.lines : [])),
    );
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(64 * 1024);
    expect(events.length).toBeLessThan(bodies.length / 100);
  });

  test('leave what they were made of as it was', () => {
    const bodies = [line('a'), line('b')];
    joined(bodies);
    expect(bodies).toMatchObject([{ lines: ['a'] }, { lines: ['b'] }]);
  });
});

describe('what events come to', () => {
  test('goes up through the phases, however late and often they are told', () => {
    const fold = new RunFold();
    const events = told(fold, [
      logged('Finished initializing Explorer.', 'explorer'),
      logged('All models are ready.', 'explorer'),
      line('(Explorer pid=1) INFO 03-14 09:26:53 [a.py:7] Finished initializing Explorer.'),
      logged('Explore step 1 started.', 'explorer'),
      logged('Training at step 1 started', 'trainer'),
      logged('Explore step 2 started.', 'explorer'),
      logged('No more samples to train', 'trainer'),
    ]);
    expect(phases(events)).toEqual([
      'loading models',
      'models are ready',
      'exploring',
      'training',
      'finishing',
    ]);
    expect(phases(told(fold, [logged('> Starting stage 2/2...'), logged('All models are ready.')]))).toEqual([
      'stage 2/2',
      'models are ready',
    ]);
  });

  test('is not in training yet after a validation before the first step', () => {
    const fold = new RunFold();
    const step = (text: string): RunEventBody => line(`(TaskRunner pid=42) step:${text}`);
    const validated = 'pass_n:4 - total_tasks:20 - TGC@1:0.3 - TGC@4:0.5 - mean_reward:0.3';
    expect(types(told(fold, [step(`0 - ${validated}`)]))).toEqual(['log', 'metrics']);
    expect(fold.state.alarms.steps).toEqual({});
    expect(phases(told(fold, [step(`1 - actor/pg_loss:0.1 - ${validated}`)]))).toEqual(['training']);
    expect(fold.state.alarms.steps).toEqual({ trainer: 1 });
  });

  test('begins again with each stage', () => {
    const fold = new RunFold();
    const of = (stage: number, body: RunEventBody): RunEventBody => ({ ...body, stage }) as RunEventBody;
    const reward = 'critic/score/mean';
    told(fold, [
      logged('> Starting stage 1/2...'),
      metrics(1, { [reward]: 1 }),
      logged('Error in Trainer: no memory'),
    ]);
    const first = told(fold, [of(1, metrics(9, { [reward]: 2 }, 'sft/trainer'))]);
    expect(first).toMatchObject([{ type: 'log' }, { type: 'metrics', step: 9, role: 'trainer', stage: 1 }]);
    expect(fold.state).toMatchObject({ stage: 1, step: 9, reward: 2, alarms: { rewards: [1, 2] } });
    // An actor of the second is heard before the driver tells of it, one of the first afterwards.
    const events = told(fold, [
      of(2, metrics(1, { 'actor/lr': 1 }, 'rl/trainer')),
      of(1, metrics(10, { [reward]: 3 }, 'sft/trainer')),
      of(1, logged('Checkpoint at step 10 saved', 'sft/trainer')),
      of(1, logged('No more samples to train', 'sft/trainer')),
      logged('> Starting stage 2/2...'),
      logged('Checkpoint at step 10 saved'),
      metrics(2, { [reward]: 0.5 }),
    ]);
    const tellings = events.flatMap((event) => {
      if (event.type === 'metrics') return [`step ${event.step} of ${event.stage ?? 0}`];
      if (event.type === 'checkpoint') return [`checkpoint ${event.step} of ${event.stage ?? 0}`];
      return event.type === 'phase' ? [event.phase] : [];
    });
    expect(tellings).toEqual([
      ...['step 1 of 2', 'training', 'step 10 of 1', 'checkpoint 10 of 1'],
      ...['stage 2/2', 'checkpoint 10 of 2', 'step 2 of 2'],
    ]);
    expect(fold.state).toMatchObject({
      ...{ stage: 2, step: 2, reward: 0.5, failure: 'In stage 1: Error in Trainer: no memory' },
      alarms: { rewards: [0.5], steps: { trainer: 2 } },
    });
  });

  test('has the metrics of a step once, and more of them where there are more', () => {
    const fold = new RunFold();
    const step = metrics(3, { 'rollout/accuracy/mean': 0.5 }, 'explorer');
    const again = `(Explorer pid=7) ${step.type === 'log' ? step.lines.join() : ''}`;
    const events = told(fold, [step, line(again), metrics(3, { 'actor/lr': 1 }, 'trainer')]);
    expect(types(events)).toEqual(['log', 'metrics', 'phase', 'log', 'log', 'metrics']);
    expect(fold.state).toMatchObject({ step: 3, reward: null });
  });

  test('has the exception of training, not that of a service beside it', () => {
    const fold = new RunFold();
    told(fold, [line('ValueError: no model'), line('KeyError: 7', companionSource('appworld_service'))]);
    expect(fold.state.exception).toBe('ValueError: no model');
    told(fold, [line('RuntimeError: no port', companionSource('ray_service_head'))]);
    expect(fold.state.exception).toBe('RuntimeError: no port');
  });

  test('has the reward of one curve', () => {
    const fold = new RunFold();
    const groups = 'experience_pipeline/group_advantages/reward_mean/mean';
    told(fold, [metrics(1, { 'critic/score/mean': 1 }), metrics(1, { [groups]: 0.25 })]);
    told(fold, [metrics(2, { 'critic/score/mean': 2 })]);
    expect(fold.state).toMatchObject({ step: 2, reward: 0.25, alarms: { rewards: [0.25] } });
  });

  test('raises each alarm once', () => {
    const std = 'experience_pipeline/group_advantages/reward_std/max';
    const steps = [1, 2, 3, 4, 5].map((step) => metrics(step, { [std]: 0, step }));
    const events = told(new RunFold(), [...steps, line('CUDA out of memory'), line('CUDA out of memory')]);
    const alarms = events.flatMap((event) => (event.type === 'alarm' ? [event.alarm] : []));
    expect(alarms).toEqual(['no-advantage', 'out-of-memory']);
  });

  test('is the same when it is read again', () => {
    const fold = new RunFold();
    told(fold, [metrics(1, { 'critic/score/mean': 1 }), logged('Checkpoint at step 1 saved', 'trainer')]);
    const again = RunFold.decode(JSON.parse(JSON.stringify(fold.state)));
    expect(again?.state).toEqual(fold.state);
    expect(RunFold.decode({ seq: 1 })).toBeUndefined();
  });
});
