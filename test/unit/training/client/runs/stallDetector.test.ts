import { describe, expect, test } from 'vitest';
import { numberEvents, RunFold, type RunEventBody } from '../../../../../src/training/core/runs/fold.ts';
import { StallDetector } from '../../../../../src/training/core/runs/stallDetector.ts';

const minute = 60_000;

/** A run that is looked at four times a minute, by a clock of the machine's that tests can set. */
class Watched {
  readonly fold = new RunFold();
  #watch = new StallDetector();
  #now = 0;
  #to = 0;

  constructor() {
    this.#look();
  }

  prints(line: string, source = 'launcher'): this {
    const body = { type: 'log', source, lines: [line], to: ++this.#to } as RunEventBody;
    Array.from(numberEvents(this.fold, [body], 0));
    this.#look();
    return this;
  }

  says(text: string, source?: string): this {
    return this.prints(`INFO 03-14 09:26:53 [a.py:7] ${text}`, source);
  }

  metrics(step: number, values: Record<string, number>, source = 'trainer'): this {
    return this.prints(`INFO 03-14 09:26:53 [monitor.py:88] Step ${step}: ${JSON.stringify(values)}`, source);
  }

  /** Minutes without a sign; after how many it was an alarm. */
  silent(minutes: number): number | undefined {
    let at: number | undefined;
    for (let quarter = 1; quarter <= minutes * 4; quarter++) {
      this.#now += minute / 4;
      if (this.#look() && at === undefined) at = Math.floor(quarter / 4);
    }
    return at;
  }

  sleeps(minutes: number): boolean {
    this.#now += minutes * minute;
    return this.#look();
  }

  adopted(): this {
    this.#watch = new StallDetector();
    this.#look();
    return this;
  }

  #look(): boolean {
    const raised = this.#watch.look(this.fold.state.alarms, this.#now);
    const seq = this.fold.state.seq + 1;
    for (const alarm of raised) this.fold.take({ seq, at: 0, type: 'alarm', ...alarm });
    return raised.length > 0;
  }
}

/** Of five steps, each of which took as long. */
function after(minutes: number): Watched {
  const run = new Watched();
  for (let step = 1; step <= 5; step++) {
    expect(run.silent(minutes)).toBeUndefined();
    run.metrics(step, { 'actor/lr': 1 });
  }
  return run;
}

describe('a standstill', () => {
  test('is told once, and again only after a sign of life', () => {
    const run = after(1);
    expect(run.silent(14)).toBeUndefined();
    expect(run.silent(60)).toBe(1);
    expect(run.silent(60)).toBeUndefined();
    run.says('Explorer is alive');
    expect(run.silent(60)).toBeUndefined();
    run.says('Explore step 6 started.', 'explorer');
    expect(run.fold.state.alarms.raised).toEqual([]);
    // Of the explorer no whole step has been seen.
    expect(run.silent(70)).toBe(60);
  });

  test('waits for ten times as long as steps take', () => {
    expect(after(30).silent(299)).toBeUndefined();
    expect(after(30).silent(310)).toBe(300);
  });

  test('waits for the first step, whatever an evaluation at the start took', () => {
    const run = new Watched().says('Evaluation at step 0 started.', 'explorer');
    expect(run.silent(1)).toBeUndefined();
    run.metrics(0, { 'eval/gsm8k/accuracy/mean@1': 0.5, 'time/eval': 60 }, 'explorer');
    run.says('Explore step 1 started.', 'explorer');
    expect(run.silent(17)).toBeUndefined();
    expect(run.fold.state.phase).toBe('exploring');
    expect(run.silent(60)).toBe(43);
  });

  test('waits for the first steps of the trainer while those of the explorer are quick', () => {
    const run = new Watched().says('Sample data for step 1 started.', 'trainer');
    for (let step = 1; step <= 8; step++) {
      expect(run.silent(1)).toBeUndefined();
      run.metrics(step, { 'rollout/accuracy/mean': 0.5 }, 'explorer');
    }
    expect(run.silent(30)).toBeUndefined();
    run.metrics(1, { 'actor/lr': 1 });
    expect(run.silent(30)).toBeUndefined();
    run.metrics(2, { 'actor/lr': 1 });
    expect(run.silent(200)).toBeUndefined();
  });

  test('waits for an evaluation between steps, and no longer once its metrics have come', () => {
    const run = after(1).says('Evaluation at step 5 started.', 'explorer');
    expect(run.silent(50)).toBeUndefined();
    run.metrics(5, { 'eval/gsm8k/accuracy/mean@1': 0.5, 'time/eval': 3_000 }, 'explorer');
    expect(run.silent(20)).toBe(15);
  });

  test('waits for a validation of verl, which tells of it by lines of another form', () => {
    const run = new Watched();
    for (let step = 1; step <= 5; step++) {
      expect(run.silent(1)).toBeUndefined();
      run.prints(`(TaskRunner pid=7) step:${step} - actor/lr:1`);
    }
    run.prints("(TaskRunner pid=7) test_gen_batch meta info: {'eos_token_id': 1}");
    expect(run.silent(50)).toBeUndefined();
    run.prints('(TaskRunner pid=7) step:5 - actor/lr:1 - val-core/gsm8k/reward/mean@1:0.5');
    expect(run.silent(20)).toBe(15);
  });

  test('is not that of a machine that slept or of a clock that was set', () => {
    const run = after(1);
    expect(run.sleeps(10_000)).toBe(false);
    expect(run.sleeps(-20_000)).toBe(false);
    expect(run.silent(14)).toBeUndefined();
    expect(run.silent(2)).toBe(0);
  });

  test('is waited for anew by a host that takes a run over', () => {
    const run = after(1);
    expect(run.silent(14)).toBeUndefined();
    run.adopted();
    expect(run.silent(59)).toBeUndefined();
    run.metrics(6, { 'actor/lr': 1 });
    expect(run.silent(1)).toBeUndefined();
    run.metrics(7, { 'actor/lr': 1 });
    expect(run.silent(20)).toBe(15);
  });

  test('is that of the steps of a stage', () => {
    const run = after(1).says('> Starting stage 2/2...');
    expect(run.silent(50)).toBeUndefined();
    run.metrics(1, { 'actor/lr': 2 });
    expect(run.silent(2)).toBeUndefined();
    run.metrics(2, { 'actor/lr': 2 });
    expect(run.silent(30)).toBe(20);
  });
});
