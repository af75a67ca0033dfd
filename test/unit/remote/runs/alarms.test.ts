import { describe, expect, test } from 'vitest';
import {
  checkMetrics,
  checkStandstill,
  noAlarms,
  noteProgress,
  outOfMemory,
  type AlarmState,
} from '../../../../src/remote/runs/alarms.ts';

const minute = 60_000;

/** A minute a step; tells which alarms each step raised. */
function steps(
  values: readonly Readonly<Record<string, number>>[],
  before: AlarmState = noAlarms,
): { readonly raised: string[][]; readonly state: AlarmState } {
  let state = before;
  const raised = values.map((step, at) => {
    const checked = checkMetrics(state, step, step['reward'], at * minute);
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
    const { state } = checkMetrics(first.state, { x: 1 }, undefined, 0);
    expect(outOfMemory(state, 'CUDA out of memory').raised).toHaveLength(1);
  });

  test('of a standstill waits for as long as steps take', () => {
    expect(checkStandstill(noAlarms, 0, 59 * minute).raised).toEqual([]);
    const stalled = checkStandstill(noAlarms, 0, 61 * minute);
    expect(stalled.raised).toHaveLength(1);
    expect(checkStandstill(stalled.state, 0, 62 * minute).raised).toEqual([]);
    expect(noteProgress(stalled.state, 0).raised).toEqual([]);
    const { state } = steps(times(3, { x: 1 }));
    expect(checkStandstill(state, 0, 16 * minute).raised).toEqual([]);
    expect(checkStandstill(state, 0, 18 * minute).raised).toHaveLength(1);
    const slow = { ...state, steps: [30 * minute] };
    expect(checkStandstill(slow, 0, 200 * minute).raised).toEqual([]);
  });
});
