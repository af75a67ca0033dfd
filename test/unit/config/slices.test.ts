import { describe, expect, it } from 'vitest';
import { collectInSlices } from '../../../src/config/slices.ts';
import { FakeClock } from '../fakeClock.ts';

describe('collectInSlices', () => {
  it('lets others have their turn once a slice is used up', async () => {
    const clock = new FakeClock();
    const done: number[] = [];
    function* steps(): Generator<number[]> {
      for (const step of [1, 2, 3]) {
        clock.stall(step === 2 ? 5 : 0);
        done.push(step);
        yield [step];
      }
    }
    const collected = collectInSlices(steps(), clock, () => true);
    await Promise.resolve();
    expect(done).toEqual([1, 2]);
    clock.advance(0);
    expect(await collected).toEqual([1, 2, 3]);
  });

  it('gives up once nobody wants the result', async () => {
    const clock = new FakeClock();
    function* steps(): Generator<number[]> {
      clock.stall(5);
      yield [1];
      throw new Error('nobody asked for more');
    }
    const collected = collectInSlices(steps(), clock, () => false);
    clock.advance(0);
    expect(await collected).toBeUndefined();
  });
});
