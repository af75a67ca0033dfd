import { describe, expect, test } from 'vitest';
import type { FoundGpu } from '../../../../src/remote/launch/nvidiaSmi.ts';
import { planQueue } from '../../../../src/remote/runs/queue.ts';

const gpu = (index: number, used = 0): FoundGpu => {
  return { index, name: 'GPU', memory: 80_000, used, load: 0 };
};
const queue = (...gpus: number[]): { id: string; gpus: number }[] =>
  gpus.map((wanted, at) => ({ id: 'abcdef'.charAt(at), gpus: wanted }));
const none = new Set<number>();

describe('the queue', () => {
  test('gives out GPUs in order, and lets none past that needs more than is free', () => {
    const plan = planQueue(queue(1, 0, 2, 1, 0), [gpu(0), gpu(1), gpu(2)], new Set([1]), 3);
    expect(plan.start).toEqual([
      { id: 'a', devices: [0] },
      { id: 'b', devices: [] },
      { id: 'e', devices: [] },
    ]);
    expect(plan.wait).toEqual([
      { id: 'c', reason: 'Waits for 2 GPUs, of which 1 is free.' },
      { id: 'd', reason: 'Waits for the runs before it.' },
    ]);
  });

  test('waits for GPUs on which others work, and says so', () => {
    const plan = planQueue(queue(2), [gpu(0, 60_000), gpu(1, 500)], none, 2);
    expect(plan.wait[0]?.reason).toBe(
      'Waits for 2 GPUs, of which 1 is free. GPU 0 is used by other programs.',
    );
    // The memory of a run of this host's own is no other's.
    expect(planQueue(queue(1), [gpu(0, 60_000), gpu(1)], new Set([0]), 2).start).toEqual([
      { id: 'a', devices: [1] },
    ]);
  });

  test('refuses what there never was, and waits for a driver that does not answer now', () => {
    expect(planQueue(queue(3, 1), [gpu(0)], none, 1)).toEqual({
      start: [{ id: 'b', devices: [0] }],
      wait: [],
      fail: [{ id: 'a', reason: 'It wants 3 GPUs, and this host has one.' }],
    });
    expect(planQueue(queue(1), [], none, 0).fail[0]?.reason).toBe(
      'It wants one GPU, and this host has no GPU.',
    );
    expect(planQueue(queue(1), [], none, 2).wait[0]?.reason).toMatch(/the driver does not tell/);
    const silent = planQueue(queue(0, 8, 1), null, none, 0);
    expect(silent.start).toEqual([{ id: 'a', devices: [] }]);
    expect(silent.wait.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(silent.wait[0]?.reason).toBe('Waits for 8 GPUs: the driver does not tell of any at the moment.');
  });
});
