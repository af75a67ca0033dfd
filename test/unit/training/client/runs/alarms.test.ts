import { describe, expect, test } from 'vitest';
import { Random } from '../../../../../src/base/core/random.ts';
import {
  checkMetrics,
  noAlarms,
  outOfMemory,
  type AlarmState,
} from '../../../../../src/training/core/runs/alarms.ts';
import { fuzz } from '../../../fuzz.ts';

/** Tells which alarms each step raised. */
function steps(
  values: readonly Readonly<Record<string, number>>[],
  before: AlarmState = noAlarms,
): { readonly raised: string[][]; readonly state: AlarmState } {
  let state = before;
  const raised = values.map((step, at) => {
    const checked = checkMetrics(state, { role: 'trainer', step: at, values: step }, step['reward']);
    ({ state } = checked);
    return checked.raised.map(({ alarm }) => alarm);
  });
  return { raised, state };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('an alarm', () => {
  test('of a flat reward comes once, and again only after the reward has moved', () => {
    const flat = times(25, { reward: 0.5 });
    const { raised } = steps([...flat, { reward: 0.9 }, ...flat]);
    const at = raised.flatMap((names, step) => (names.includes('reward-flat') ? [step] : []));
    // In the second stretch the step that moved has to be forgotten first.
    expect(at).toEqual([19, 45]);
    expect(steps(times(40, { loss: 1 })).raised.flat()).toEqual([]);
  });

  test('of groups without advantage needs three steps, whoever tells of it', () => {
    const std = 'experience_pipeline/group_advantages/reward_std/max';
    expect(steps(times(4, { [std]: 0 })).raised).toEqual([[], [], ['no-advantage'], []]);
    expect(steps([{ [std]: 0 }, { [std]: 0 }, { [std]: 0.1 }, { [std]: 0 }]).raised.flat()).toEqual([]);
    const verl = { 'critic/advantages/max': 0, 'critic/advantages/min': 0 };
    expect(steps(times(3, verl)).raised.flat()).toEqual(['no-advantage']);
    // Steps of the explorer between those of the trainer say nothing of it.
    expect(steps([verl, { x: 1 }, verl, { x: 1 }, verl]).raised.flat()).toEqual(['no-advantage']);
  });

  test('of the KL divergence is for a jump, not for a small or a steady one', () => {
    const usual = times(6, { 'actor/ppo_kl': 0.01 });
    expect(steps([...usual, { 'actor/ppo_kl': 0.5 }]).raised.at(-1)).toEqual(['kl-jump']);
    expect(steps([...usual, { 'actor/ppo_kl': 0.09 }]).raised.flat()).toEqual([]);
    expect(steps(times(9, { 'actor/ppo_kl': 0.5 })).raised.flat()).toEqual([]);
  });

  test('of memory is told once until a step has ended', () => {
    const first = outOfMemory(noAlarms, 'CUDA out of memory');
    expect(first.raised).toHaveLength(1);
    expect(outOfMemory(first.state, 'CUDA out of memory').raised).toEqual([]);
    const of = (values: Record<string, number>) => ({ role: 'trainer', step: 1, values }) as const;
    const evaluated = checkMetrics(first.state, of({ 'eval/a/mean': 1 }), undefined);
    expect(outOfMemory(evaluated.state, 'CUDA out of memory').raised).toEqual([]);
    const { state } = checkMetrics(first.state, of({ x: 1 }), undefined);
    expect(outOfMemory(state, 'CUDA out of memory').raised).toHaveLength(1);
  });
});

describe('an alarm of a reward that wanders', () => {
  const { numRuns: seeds } = fuzz(1, 100);

  /** Of 500 steps, the mean reward of each with noise in sixty-fourths: by seed, at which steps it was told to be flat. */
  function flatAt(
    name: string,
    noise: number,
    mean: (step: number) => number,
  ): readonly (readonly number[])[] {
    return Array.from({ length: seeds }, (_, seed) => {
      const random = new Random(`${name} ${seed}`);
      const values = Array.from({ length: 500 }, (__, step) => {
        const value = mean(step) + noise * normal(random);
        return { reward: Math.round(value * 64) / 64 };
      });
      return steps(values).raised.flatMap((names, step) => (names.includes('reward-flat') ? [step] : []));
    });
  }

  const alarmed = (runs: readonly (readonly number[])[]): number =>
    runs.filter(({ length }) => length > 0).length;

  test.each([
    ['noise', 0.02, () => 0.5],
    ['a plateau after a rise', 0.03, (step: number) => 0.2 + 0.4 * Math.min(1, step / 150)],
    ['a fall', 0.02, (step: number) => 0.7 - step / 5_000],
  ])('comes for %s, and seldom twice', (name, noise, mean) => {
    const runs = flatAt(name, noise, mean);
    expect(alarmed(runs)).toBe(seeds);
    expect(runs.flat().length).toBeLessThan(seeds * 1.5);
    expect(Math.min(...runs.flat())).toBeGreaterThanOrEqual(149);
  });

  test.each([
    ['a slow rise', 0.02, (step: number) => 0.5 + step / 5_000, 0],
    ['a rise that slows down', 0.03, (step: number) => 0.2 + 0.6 * (1 - Math.exp(-step / 200)), 0],
    ['a rise by the noise alone in 150 steps', 0.05, (step: number) => 0.3 + step / 3_000, 2],
  ])('does not come for %s', (name, noise, mean, most) => {
    expect(alarmed(flatAt(name, noise, mean))).toBeLessThanOrEqual((most * seeds) / 100);
  });

  test('is cleared by a rise, and not by single values that are far off', () => {
    const random = new Random('cleared');
    const flat = Array.from({ length: 200 }, () => ({ reward: 0.5 + 0.02 * normal(random) }));
    const far = flat.map(({ reward }, step) => ({ reward: step % 50 === 49 ? 1 : reward }));
    expect(steps(far).raised.flat()).toEqual(['reward-flat']);
    const { state } = steps(flat);
    const rising = Array.from({ length: 100 }, (_, step) => ({ reward: 0.5 + step / 200 }));
    const after = steps(rising, state);
    expect(after.raised.flat()).toEqual([]);
    expect(after.state.raised).toEqual([]);
  });
});

/** Of a standard normal distribution, by Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
