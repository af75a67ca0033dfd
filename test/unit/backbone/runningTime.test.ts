import { expect, it } from 'vitest';
import { afterRunningTime } from '../../../src/backbone/core/task-runner/runningTime.ts';
import { FakeClock } from '../fakeClock.ts';

it('runs once, when the time is up', () => {
  const clock = new FakeClock();
  let fired = 0;
  afterRunningTime(clock, 2, () => (fired += 1));
  clock.advance(1900);
  expect(fired).toBe(0);
  clock.advance(10_000);
  expect(fired).toBe(1);
});

it('does not count time in which the process stood still', () => {
  const clock = new FakeClock();
  let fired = 0;
  afterRunningTime(clock, 2, () => (fired += 1));
  clock.advance(1000);
  clock.stall(60_000);
  expect(fired).toBe(0);
  clock.advance(700);
  expect(fired).toBe(0);
  clock.advance(300);
  expect(fired).toBe(1);
});

it('never fires after it was disposed', () => {
  const clock = new FakeClock();
  let fired = 0;
  afterRunningTime(clock, 1, () => (fired += 1)).dispose();
  clock.advance(5000);
  expect(fired).toBe(0);
});
