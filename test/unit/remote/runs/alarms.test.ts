import { describe, expect, test } from 'vitest';
import { checkMetrics, noAlarms, outOfMemory, type AlarmState } from '../../../../src/remote/runs/alarms.ts';

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
