import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/base/core/random.ts';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import { nearestStep, adjacentStep } from '../../../src/training/webview/cursor.ts';
import { within } from '../../../src/training/webview/chart/chartKeys.ts';
import { chartsOf, otherMetrics } from '../../../src/training/webview/data/chartTable.ts';
import { aligned, pointsOf } from '../../../src/training/webview/data/chartPoints.ts';
import { MetricSeries } from '../../../src/training/webview/data/metricSeries.ts';
import { RunPageModel } from '../../../src/training/webview/data/model.ts';
import { elapsedOf, remainingOf, RunData } from '../../../src/training/webview/data/runData.ts';
import { foldedAlarms } from '../../../src/training/webview/header/words.ts';
import { keptView } from '../../../src/training/webview/page.ts';
import { fuzz } from '../../unit/fuzz.ts';
import { checkpointsOf, eventsOf, idOf, rewardName, shownRun, startedAt } from '../harness/trainingRuns.ts';

function seriesOf(pairs: Iterable<readonly [at: number, value: number]>): MetricSeries {
  const series = new MetricSeries();
  for (const [at, value] of pairs) series.set(at, value);
  return series;
}

function pairsOf(series: MetricSeries): [at: number, value: number][] {
  return Array.from({ length: series.length }, (_, index) => [series.at(index), series.value(index)]);
}

function runOf(events: ReturnType<typeof eventsOf>, changes = {}): RunData {
  const run = new RunData(shownRun(changes));
  for (const event of events) run.take(event);
  return run;
}

/** Mostly at the end, now and then before it or again. */
function randomPairs(random: Random): [at: number, value: number][] {
  const most = 1 + Math.floor(random.next() * 400);
  let newest = 0;
  return Array.from({ length: most }, () => {
    if (random.next() < 0.9) newest += 1 + Math.floor(random.next() * 3);
    const at = random.next() < 0.9 ? newest : Math.floor(random.next() * newest);
    return [at, Math.round(random.next() * 1000) / 100 - 2];
  });
}

describe('a series', () => {
  test('is what was set last at each place, in order, however it came', () => {
    for (let turn = 0; turn < fuzz(1, 1_000).numRuns; turn += 1) {
      const pairs = randomPairs(new Random(`series ${turn}`));
      const expected = [...new Map(pairs)].sort(([a], [b]) => a - b);
      const series = seriesOf(pairs);
      expect(pairsOf(series)).toEqual(expected);
      const somewhere = pairs[turn % pairs.length]?.[0] ?? 0;
      expect(series.valueAt(somewhere)).toBe(new Map(pairs).get(somewhere));
      expect(series.valueAt((series.last?.at ?? 0) + 1)).toBeUndefined();
      expect(series.valueAt(series.at(0) - 1)).toBeUndefined();
    }
  });

  test('is smoothed by an exponential moving average', () => {
    for (let turn = 0; turn < fuzz(1, 300).numRuns; turn += 1) {
      const series = seriesOf(randomPairs(new Random(`smoothed ${turn}`)));
      let average = 0;
      const expected = pairsOf(series).map(([at, value], index) => {
        average = 0.9 * average + (1 - 0.9) * value;
        return [at, average / (1 - 0.9 ** (index + 1))];
      });
      const found = pairsOf(series.smoothed(0.9));
      expect(found.map(([at]) => at)).toEqual(expected.map(([at]) => at));
      for (const [index, [, value]] of found.entries())
        expect(value).toBeCloseTo(expected[index]?.[1] ?? NaN, 9);
    }
  });
});

test('a run in stages has the curves of one at a time, and counts the steps of the one that it is at', () => {
  const of = (stage: number, steps: number): RunEvent[] =>
    eventsOf(steps, `stage ${stage}`).map((event) =>
      event.type === 'metrics' || event.type === 'checkpoint' ? { ...event, stage } : event,
    );
  const events = [...of(1, 50), ...of(2, 5)].map((event, at) => ({ ...event, seq: at + 1 }));
  const stages = ['sft', 'rl'].map((name) => ({ name, folder: name, totalSteps: 10 }));
  const run = runOf(events, { step: 5, totalSteps: 10, stage: 2, stages });
  const shown = (): unknown => [run.stepTimes.length, run.metrics.get(rewardName)?.length];
  expect([run.step, shown()]).toEqual([5, [5, 5]]);
  run.chooseStage('sft');
  expect([run.step, shown()]).toEqual([5, [50, 50]]);
  expect(run.written).toMatchObject([{ step: 50, stage: 1 }]);
  run.chooseStage('none');
  expect(shown()).toEqual([5, 5]);
  // The third has begun, and has yet to come to its first step.
  run.shown = shownRun({ stage: 3, stages, step: null });
  expect([run.step, run.stage]).toEqual([null, 3]);
  expect(remainingOf(run, startedAt)).toBeNull();
});

describe('what is drawn', () => {
  test('is no more than the pixels need, and holds the least and the greatest of each', () => {
    for (let turn = 0; turn < fuzz(1, 300).numRuns; turn += 1) {
      const random = new Random(`drawn ${turn}`);
      const steps = 2 + Math.floor(random.next() * 3_000);
      const series = seriesOf(Array.from({ length: steps }, (_, at) => [at, random.next() - 0.2]));
      const min = random.next() * steps * 0.5;
      const window = { min, max: min + 1 + random.next() * (steps - min) };
      const pixels = 1 + Math.floor(random.next() * 200);
      const isLog = random.next() < 0.5;
      const isDrawn = isLog ? (value: number) => value > 0 : () => true;
      const { at, values } = pointsOf(series, window, pixels, isDrawn);
      expect(at).toEqual([...new Set(at)].sort((a, b) => a - b));
      expect(at.length).toBeLessThanOrEqual(2 * pixels + 2);
      const inView = pairsOf(series).filter(
        ([one, value]) => one > window.min && one < window.max && isDrawn(value),
      );
      const all = inView.map(([, value]) => value);
      const drawn = values.filter(
        (_, index) => (at[index] ?? 0) > window.min && (at[index] ?? 0) < window.max,
      );
      expect(Math.min(...drawn)).toBe(Math.min(...all));
      expect(Math.max(...drawn)).toBe(Math.max(...all));
      for (const [index, one] of at.entries()) expect(series.valueAt(one)).toBe(values[index]);
    }
  });

  test('reaches to the values beside the window', () => {
    const series = seriesOf([1, 2, 3, 4, 5, 6].map((step) => [step * 10, step]));
    expect(pointsOf(series, { min: 25, max: 35 }, 100).at).toEqual([20, 30, 40]);
    expect(pointsOf(series, { min: 0, max: 100 }, 100).at).toEqual([10, 20, 30, 40, 50, 60]);
    expect(pointsOf(new MetricSeries(), { min: 0, max: 1 }, 100).at).toEqual([]);
  });

  test('of several runs stands on one axis', () => {
    const first = { at: [1, 3], values: [10, 30] };
    const second = { at: [1, 2], values: [1, 2] };
    expect(aligned([first, second, { at: [], values: [] }])).toEqual([
      [1, 2, 3],
      [10, undefined, 30],
      [1, 2, undefined],
      [undefined, undefined, undefined],
    ]);
  });
});

describe('charts', () => {
  const metrics = (values: Readonly<Record<string, number>>, id = 1) =>
    runOf([{ seq: 1, at: startedAt, type: 'metrics', role: 'trainer', step: 1, values }], { id: idOf(id) });

  test('show the dearest metric that is there, and offer the others', () => {
    const run = metrics({
      'critic/score/mean': 1,
      'critic/rewards/mean': 2,
      'actor/kl_loss': 3,
      'actor/lr': 4,
    });
    const charts = chartsOf([run], ['actor/lr']);
    expect(charts.map(({ key, names }) => [key, names])).toEqual([
      ['reward', ['critic/rewards/mean']],
      ['kl', ['actor/kl_loss']],
      ['added actor/lr', ['actor/lr']],
    ]);
    expect(otherMetrics([run], charts)).toEqual(['critic/score/mean']);
  });

  test('of several runs show one that all have, or of each its own', () => {
    const first = metrics({ [rewardName]: 1, 'critic/score/mean': 1, 'actor/ppo_kl': 1 });
    const second = metrics({ 'critic/score/mean': 2, 'actor/kl_loss': 1 }, 2);
    const waiting = new RunData(shownRun({ id: idOf(3) }));
    expect(chartsOf([first, second, waiting], []).map(({ names }) => names)).toEqual([
      ['critic/score/mean', 'critic/score/mean', undefined],
      ['actor/ppo_kl', 'actor/kl_loss', undefined],
    ]);
  });

  test('take success from an evaluation where nothing else tells it', () => {
    const run = metrics({ 'eval/aime/accuracy/mean@4': 0.5, 'eval/aime/accuracy/std@4': 0.1 });
    expect(chartsOf([run], []).map(({ names }) => names)).toEqual([['eval/aime/accuracy/mean@4']]);
  });
});

describe('what is known of a run', () => {
  test('folds equal alarms, and leaves out what the end of the run repeats', () => {
    const model = new RunPageModel(() => startedAt);
    model.take({ type: 'runs', runs: [shownRun()] });
    const line = 'torch.OutOfMemoryError: CUDA out of memory.';
    const texts = [
      ['kl-jump', 'The KL was 1.'],
      ['out-of-memory', `Out of memory: ${line}`],
      ['kl-jump', 'The KL was 2.'],
    ] as const;
    const alarms = texts.map(
      ([alarm, text], at) => ({ seq: 900 + at, at, type: 'alarm', alarm, text }) as const,
    );
    model.take({ type: 'events', run: idOf(1), events: [...eventsOf(3), ...alarms] });
    const folded = (): unknown[] =>
      (model.runs ?? []).flatMap((run) => foldedAlarms(run).map(({ text, times }) => [text, times]));
    expect(folded()).toEqual([
      ['The KL was 2.', 2],
      [`Out of memory: ${line}`, 1],
    ]);
    const reason = `It ended with exit code 1: ${line}`;
    model.take({ type: 'runs', runs: [shownRun({ state: 'failed', reason })] });
    expect(folded()).toEqual([['The KL was 2.', 2]]);
    // A part of the alarm's sentence is no repetition.
    const other = 'It ended with exit code 1: an error because the KL was 2.';
    model.take({ type: 'runs', runs: [shownRun({ state: 'failed', reason: other })] });
    expect(folded()).toContainEqual(['The KL was 2.', 2]);
  });

  test('counts each event once, however often it is sent', () => {
    const model = new RunPageModel(() => startedAt);
    model.take({ type: 'runs', runs: [shownRun()] });
    const alarm = { seq: 999, at: startedAt, type: 'alarm', alarm: 'kl-jump', text: 'It jumped.' } as const;
    const events = [...eventsOf(3), alarm];
    for (let times = 0; times < 3; times += 1) model.take({ type: 'events', run: idOf(1), events });
    const [run] = model.runs ?? [];
    expect(run?.stepTimes.length).toBe(3);
    expect(run?.alarms).toEqual([
      { seq: 999, alarm: 'kl-jump', text: 'It jumped.', at: startedAt, step: 3, stage: 0 },
    ]);
    model.take({ type: 'runs', runs: [shownRun({ state: 'finished' })] });
    expect(model.runs?.[0]).toBe(run);
    expect(run?.isOver).toBe(true);
    model.take({ type: 'checkpoints', run: idOf(9), checkpoints: checkpointsOf(1) });
    expect(run?.checkpoints).toEqual([]);
  });

  test("tells how long it took and will take, by its host's clock", () => {
    const run = runOf(eventsOf(50), { totalSteps: 100 });
    const lastAt = startedAt + 52 * 60_000;
    expect(elapsedOf(run, lastAt)).toBe(52 * 60);
    expect(remainingOf(run, lastAt)).toBe(50 * 60);
    expect(remainingOf(run, lastAt + 30_000)).toBe(49.5 * 60);
    // This machine's clock is an hour late.
    run.takeGpus(lastAt, [], lastAt - 3_600_000);
    expect(remainingOf(run, lastAt - 3_600_000)).toBe(50 * 60);
    expect(remainingOf(runOf(eventsOf(1)), lastAt)).toBeNull();
    expect(elapsedOf(runOf([], { startedAt: null, state: 'queued' }), lastAt)).toBeNull();
    const ended = runOf([], { state: 'failed', endedAt: startedAt + 5_000 });
    expect(elapsedOf(ended, lastAt)).toBe(5);
  });

  test('takes the load of its own GPUs only', () => {
    const run = runOf([]);
    const gpu = (index: number, of: string | null, load: number | null) =>
      ({ index, name: 'A100', memory: 100, used: load, load, run: of }) as const;
    run.takeGpus(startedAt + 2_000, [gpu(0, idOf(1), 80), gpu(1, idOf(1), 40), gpu(2, idOf(2), 0)], 0);
    run.takeGpus(startedAt + 4_000, [gpu(0, idOf(1), null)], 0);
    expect(pairsOf(run.gpuLoad)).toEqual([[2, 60]]);
    expect(pairsOf(run.gpuMemory)).toEqual([[2, 60]]);
  });
});

describe('what a host has noted of GPUs', () => {
  test('is drawn beside what the page was told, of a run that has ended too', () => {
    const run = runOf([], { state: 'finished' });
    const gpus = [
      { index: 0, load: 80, used: 50, memory: 100 },
      { index: 1, load: 40, used: null, memory: null },
    ];
    const live = { index: 0, name: 'A100', memory: 100, used: 10, load: 10, run: idOf(1) };
    run.takeGpus(startedAt + 4_000, [live], 0);
    run.takeGpuHistory([
      { at: startedAt + 2_000, looks: 1, gpus },
      { at: startedAt + 6_000, looks: 1, gpus: gpus.slice(0, 1) },
    ]);
    expect(pairsOf(run.gpuLoad)).toEqual([
      [2, 60],
      [4, 10],
      [6, 80],
    ]);
    expect(pairsOf(run.gpuMemory)).toEqual([
      [2, 50],
      [4, 10],
      [6, 50],
    ]);
  });
});

describe('steps', () => {
  const first = runOf(eventsOf(10));
  const second = new RunData(shownRun({ id: idOf(2) }));
  for (const [at, step] of [20, 5].entries()) {
    second.take({ seq: at + 1, at: startedAt, type: 'metrics', role: 'trainer', step, values: {} });
  }

  test('are those of any run', () => {
    expect(nearestStep([first, second], 7.6)).toBe(8);
    expect(nearestStep([first, second], 400)).toBe(20);
    expect(nearestStep([], 3)).toBeUndefined();
    expect(adjacentStep([first, second], 10, 1)).toBe(20);
    expect(adjacentStep([first, second], 20, -2)).toBe(9);
    expect(adjacentStep([first, second], 3, -99)).toBe(1);
  });

  test('in view are some of those that there are', () => {
    const all = { min: 1, max: 100 };
    expect(within({ min: -20, max: 30 }, all)).toEqual({ min: 1, max: 51 });
    expect(within({ min: 0, max: 120 }, all)).toBeNull();
    expect(within({ min: 50, max: 50.1 }, all)).toEqual({ min: 50, max: 51 });
  });
});

test('what was kept by another version of the page is looked at with suspicion', () => {
  const kept = (value: unknown) => keptView({ read: () => value, write: () => undefined });
  const none = { window: null, log: false, smoothing: 0, added: [], compared: [], table: false, stage: null };
  for (const value of [undefined, null, 3, [], { window: { min: 4, max: 'x' }, smoothing: 7, added: 'a' }]) {
    expect(kept(value)).toEqual(none);
  }
  const window = { min: 1, max: 4 };
  expect(kept({ window, added: ['a', 3], log: true })).toEqual({ ...none, window, added: ['a'], log: true });
});
