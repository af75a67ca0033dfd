import { expect, test } from 'vitest';
import { RayWatch, type RayAnswer } from '../../../../../src/training/core/launch/rayWatch.ts';

const running: RayAnswer = { kind: 'job', info: { status: 'RUNNING' } };
const silent: RayAnswer = { kind: 'silent', why: 'connect ECONNREFUSED' };

test('a job is what its head says', () => {
  const watch = new RayWatch();
  const kinds = (['PENDING', 'RUNNING', 'SUCCEEDED'] as const).map((status) => {
    return watch.observe({ kind: 'job', info: { status } }, 0).kind;
  });
  expect(kinds).toEqual(['pending', 'running', 'succeeded']);
  expect(watch.observe(running, 1).kind).toBe('succeeded');
});

test('a head that is silent for a while has lost nothing', () => {
  const watch = new RayWatch();
  watch.observe(running, 0);
  expect(watch.observe(silent, 10, 1_000)).toMatchObject({ kind: 'silent', since: 10 });
  expect(watch.observe(silent, 1_009, 1_000).kind).toBe('silent');
  expect(watch.observe(running, 1_010, 1_000).kind).toBe('running');
  expect(watch.observe(silent, 1_500, 1_000)).toMatchObject({ kind: 'silent', since: 1_500 });
});

test('one that stays silent has, and says since when and why', () => {
  const watch = new RayWatch();
  watch.observe(silent, 0, 60_000);
  expect(watch.observe(silent, 60_000, 60_000)).toEqual({
    kind: 'lost',
    reason: "Ray's head has not responded for 60 s: connect ECONNREFUSED",
  });
  expect(watch.isFinal).toBe(true);
});

test('the silence that is allowed ends sooner once somebody waits', () => {
  const watch = new RayWatch();
  watch.observe(silent, 0);
  expect(watch.observe(silent, 40_000).kind).toBe('silent');
  expect(watch.observe(silent, 40_001, 30_000).kind).toBe('lost');
});

test('a head that was started anew does not know the job', () => {
  expect(new RayWatch().observe({ kind: 'unknown' }, 0).kind).toBe('lost');
});

test('a failure keeps its reason and the exit code', () => {
  const info = { status: 'FAILED', message: 'exit code 3', error_type: 'JOB', driver_exit_code: 3 } as const;
  expect(new RayWatch().observe({ kind: 'job', info }, 0)).toEqual({
    ...{ kind: 'failed', reason: 'JOB: exit code 3', exitCode: 3 },
  });
  const last = 'exit code 3, last available logs (truncated to 20,000 chars):\nline 1\nline 2';
  const told = { kind: 'job', info: { ...info, message: last } } as const;
  expect(new RayWatch().observe(told, 0)).toMatchObject({ reason: 'JOB: exit code 3' });
  const bare = { kind: 'job', info: { status: 'FAILED' } } as const;
  expect(new RayWatch().observe(bare, 0)).toMatchObject({ reason: 'Ray gives no reason', exitCode: null });
});
