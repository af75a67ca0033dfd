import { expect, it } from 'vitest';
import { CancellationSource, DelayedCancellation } from '../../../src/base/core/cancellation.ts';
import { FakeClock } from '../fakeClock.ts';

it('a delayed cancellation comes the time after the first one, and not after it is disposed', () => {
  const clock = new FakeClock();
  const first = new CancellationSource();
  const [late, ended] = [1, 2].map(() => new DelayedCancellation(first.token, 1_000, clock));
  clock.advance(5_000);
  expect(late?.token.isCancelled).toBe(false);
  first.cancel();
  ended?.dispose();
  clock.advance(999);
  expect(late?.token.isCancelled).toBe(false);
  clock.advance(1);
  expect(late?.token.isCancelled).toBe(true);
  expect(ended?.token.isCancelled).toBe(false);
  const already = new DelayedCancellation(first.token, 10, clock);
  clock.advance(10);
  expect(already.token.isCancelled).toBe(true);
});
