import { describe, expect, test } from 'vitest';
import type { GpuSample } from '../../../../../src/training/core/protocol/runs.ts';
import { completeSamples, addGpuSample } from '../../../../../src/training/core/runs/gpuSampling.ts';

const look = (at: number, load: number | null, gpus = 1): GpuSample => ({
  ...{ at, looks: 1 },
  gpus: Array.from({ length: gpus }, (_, index) => ({ index, load, used: 100, memory: 1_000 })),
});

/** Of as many looks, each a second after the one before; the load is the number of the look. */
function after(count: number, gpus = 1): GpuSample[] {
  let samples: GpuSample[] = [];
  for (let at = 1; at <= count; at++) samples = addGpuSample(samples, look(at, at, gpus));
  return samples;
}

describe('looks at GPUs', () => {
  test('are samples as they are while they are few', () => {
    expect(after(3)).toEqual([look(1, 1), look(2, 2), look(3, 3)]);
  });

  test('are merged so that those of two weeks are as many as those of a day, evenly apart', () => {
    const samples = after(80_640);
    expect(samples.length).toBeLessThanOrEqual(2_880);
    expect(samples.length).toBeGreaterThan(1_400);
    expect(new Set(completeSamples(samples).map(({ looks }) => looks))).toEqual(new Set([32]));
    expect(samples.reduce((sum, { looks }) => sum + looks, 0)).toBe(80_640);
    expect(samples[0]).toMatchObject({ at: 32, gpus: [{ load: 16.5, used: 100, memory: 1_000 }] });
    expect(samples.map(({ at }) => at)).toEqual(samples.map(({ at }) => at).sort((a, b) => a - b));
  });

  test('are fewer where there are many GPUs', () => {
    const readings = after(4_000, 64).reduce((sum, { gpus }) => sum + gpus.length, 0);
    expect(readings).toBeLessThanOrEqual(24_000);
  });

  test('keep what the driver tells where it did not before', () => {
    let samples = after(2_880).map((sample) => ({ ...sample, gpus: look(0, null).gpus }));
    samples = addGpuSample(samples, look(2_881, 50));
    expect(samples).toHaveLength(1_441);
    expect(samples[0]?.gpus[0]?.load).toBeNull();
    expect(samples.at(-1)).toMatchObject({ looks: 1, gpus: [{ load: 50 }] });
    expect(completeSamples(samples)).toHaveLength(1_440);
  });
});
