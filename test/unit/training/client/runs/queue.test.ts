import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../../../src/training/core/protocol/runs.ts';
import type { GpuReading } from '../../../../../src/training/core/launch/nvidiaSmi.ts';
import { type RayUse, planQueue, rayClaims } from '../../../../../src/training/core/runs/queue.ts';

const gpu = (index: number, used = 0): GpuReading => {
  return { index, name: 'GPU', memory: 80_000, used, load: 0 };
};
const queue = (...gpus: number[]): Parameters<typeof planQueue>[0] =>
  gpus.map((wanted, at) => ({ id: 'abcdef'.charAt(at), gpus: wanted, ray: 'elsewhere' }));
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
      { id: 'c', reason: 'Waits for 2 GPUs. Free: 1.' },
      { id: 'd', reason: 'Waits for the runs before it.' },
    ]);
  });

  test('waits for GPUs on which others work, and says so', () => {
    const plan = planQueue(queue(2), [gpu(0, 60_000), gpu(1, 500)], none, 2);
    expect(plan.wait[0]?.reason).toBe('Waits for 2 GPUs. Free: 1. GPU 0 is used by other programs.');
    // The memory of a run of this host's own is no other's.
    expect(planQueue(queue(1), [gpu(0, 60_000), gpu(1)], new Set([0]), 2).start).toEqual([
      { id: 'a', devices: [1] },
    ]);
  });

  test('refuses what there never was, and waits for a driver that does not answer now', () => {
    expect(planQueue(queue(3, 1), [gpu(0)], none, 1)).toEqual({
      start: [{ id: 'b', devices: [0] }],
      wait: [],
      fail: [{ id: 'a', reason: 'It needs 3 GPUs, but this host has one.' }],
    });
    expect(planQueue(queue(1), [], none, 0).fail[0]?.reason).toBe(
      'It needs one GPU, but this host has no GPU.',
    );
    expect(planQueue(queue(1), [], none, 2).wait[0]?.reason).toMatch(/the GPU driver does not respond/);
    const silent = planQueue(queue(0, 8, 1), null, none, 0);
    expect(silent.start).toEqual([{ id: 'a', devices: [] }]);
    expect(silent.wait.map(({ id }) => id)).toEqual(['b', 'c']);
    expect(silent.wait[0]?.reason).toBe('Waits for 8 GPUs: the GPU driver does not respond.');
  });
});

describe('Ray', () => {
  const gpus = [gpu(0), gpu(1), gpu(2), gpu(3)];
  const run = (id: string, ray: RayUse, wanted = 1) => ({ id, gpus: wanted, ray });

  test('one run at a time has its own, and who takes what is there does not take that', () => {
    const plan = planQueue(
      [
        run('a', 'own'),
        run('b', 'own'),
        run('c', 'here', 0),
        run('d', 'elsewhere', 0),
        run('e', 'elsewhere'),
      ],
      gpus,
      none,
      4,
    );
    expect(plan.start).toEqual([
      { id: 'a', devices: [0] },
      { id: 'd', devices: [] },
    ]);
    expect(plan.wait).toEqual([
      { id: 'b', reason: 'Waits for run a, which has a separate Ray.' },
      { id: 'c', reason: 'Waits for run a, which has a separate Ray.' },
      { id: 'e', reason: 'Waits for the runs before it.' },
    ]);
    const next = planQueue([run('b', 'own'), run('c', 'here', 0)], gpus, none, 4);
    expect(next.start.map(({ id }) => id)).toEqual(['b']);
    const going = planQueue([run('b', 'own')], gpus, none, 4, { holder: 'x' });
    expect(going.wait).toEqual([{ id: 'b', reason: 'Waits for run x, which has a separate Ray.' }]);
  });

  test('is begun by none while another looks for the one that is there, and in order', () => {
    const plan = planQueue([run('a', 'here'), run('b', 'own'), run('c', 'own', 0)], gpus, none, 4);
    expect(plan.start.map(({ id }) => id)).toEqual(['a']);
    expect(plan.wait.map(({ reason }) => reason)).toEqual([
      'Waits until run a has found its Ray.',
      'Waits until run a has found its Ray.',
    ]);
    const full = planQueue([run('b', 'own', 4), run('c', 'own', 0)], gpus, new Set([0]), 4);
    expect(full.wait[1]).toEqual({ id: 'c', reason: 'Waits for the runs before it.' });
  });

  test('of which kind a run takes, and until when it looks for it', () => {
    const record = (id: string, change: Partial<RunRecord>): RunRecord => ({
      ...({
        launcher: 'ajet',
        flags: [],
        env: [],
        phase: 'preparing the code',
        step: null,
      } as unknown as RunRecord),
      ...change,
      id,
    });
    const own = { flags: ['--with-ray'] };
    expect(rayClaims([record('a', {}), record('b', own)], undefined)).toEqual({ holder: 'b', seeker: 'a' });
    expect(rayClaims([record('a', { phase: 'starting Ray' })], 'auto')).toEqual({});
    expect(rayClaims([record('a', { env: ['RAY_ADDRESS'] })], undefined)).toEqual({});
    expect(rayClaims([record('a', {})], '10.0.0.1:6379')).toEqual({});
    expect(rayClaims([record('a', { ...own, launcher: 'ray' })], undefined)).toEqual({});
  });
});
