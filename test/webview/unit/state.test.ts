import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { LatestRequest, type Outcome } from '../../../src/base/webview/state/latestRequest.ts';
import {
  callRoute,
  compareRoute,
  episodeRoute,
  formatRoute,
  groupRoute,
  parentOf,
  parseRoute,
  pathOf,
  runRoute,
  timelineRoute,
  type Route,
  type RunRoute,
} from '../../../src/traces/webview/state/route.ts';
import { WindowBuffer, type Slice } from '../../../src/base/webview/state/windowBuffer.ts';

/** A request whose end the test decides. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve: (value: T) => resolve(value), reject: (error: unknown) => reject(error) };
}

/** Lets everything that only waits for promises happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a place', () => {
  const position = fc.nat(999_999_999);
  const runs: fc.Arbitrary<RunRoute> = fc.record({
    kind: fc.constant('run'),
    list: fc.constantFrom('episodes', 'groups'),
    filter: fc.string({ unit: 'grapheme' }),
    sort: fc.option(fc.record({ by: fc.constantFrom('reward', 'task'), descending: fc.boolean() })),
  });
  const message = fc.option(fc.oneof(position, fc.constant('newest' as const)));
  const setting = fc.option(
    fc.record({
      compareLevel: fc.constantFrom('text', 'token'),
      ignoreTools: fc.boolean(),
      fixesDrift: fc.boolean(),
    }),
  );
  const places: fc.Arbitrary<Route> = fc.oneof(
    runs,
    position.map(groupRoute),
    position.map(episodeRoute),
    fc.tuple(position, position).map(([episode, call]) => callRoute(episode, call)),
    fc
      .tuple(position, position, fc.option(position), fc.record({ message, setting }))
      .map(([episode, timeline, token, others]) => timelineRoute(episode, timeline, token, others)),
    fc
      .tuple(position, fc.option(position), fc.option(position), fc.option(position))
      .map(([episode, other, timeline, otherTimeline]) =>
        compareRoute(episode, other, { timeline, otherTimeline }),
      ),
    fc
      .tuple(position, position, fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean())
      .map(([episode, other, trace, isLeft]) =>
        compareRoute(episode, other, isLeft ? { trace } : { otherTrace: trace }),
      ),
  );

  test('is the same after it was written and read', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(parseRoute(new URLSearchParams(formatRoute(place)))).toEqual(place);
      }),
      { seed: 41 },
    );
  });

  test.each(['episode=x', 'call=1', 'episode=-1', 'episode=1e9', 'episode=', 'sort=1', 'sort=--a'])(
    '%s leads to the run',
    (text) => {
      expect(parseRoute(new URLSearchParams(text))).toEqual(runRoute);
    },
  );

  test('lies below its episode, that below its group, and that below the run', () => {
    const run: RunRoute = { ...runRoute, filter: 'reward<0' };
    const call = callRoute(3, 1);
    const above = { run, repeat: 2, tasks: 2 };
    expect(pathOf(call, above)).toEqual([run, groupRoute(1), episodeRoute(3), call]);
    expect(parentOf(call, above)).toEqual(episodeRoute(3));
    expect(parentOf(groupRoute(1), above)).toEqual(run);
    expect(parentOf(runRoute, above)).toEqual(runRoute);
    expect(parentOf(episodeRoute(4), above)).toEqual(run);
  });
});

describe('only the newest request', () => {
  test('runs after the one under way, however many were asked for', async () => {
    const outcomes: Outcome<string>[] = [];
    const started: string[] = [];
    const requests = new LatestRequest<string>((outcome) => outcomes.push(outcome));
    const first = deferred<string>();
    requests.run('first', () => first.promise);
    for (const key of ['second', 'third', 'fourth']) {
      requests.run(key, () => {
        started.push(key);
        return Promise.resolve(key.toUpperCase());
      });
    }
    expect(started).toEqual([]);
    first.resolve('FIRST');
    await settle();
    expect(started).toEqual(['fourth']);
    expect(outcomes).toEqual([
      { key: 'first', value: 'FIRST' },
      { key: 'fourth', value: 'FOURTH' },
    ]);
  });

  test('a failure is an outcome, and the next request runs', async () => {
    const outcomes: Outcome<string>[] = [];
    const requests = new LatestRequest<string>((outcome) => outcomes.push(outcome));
    requests.run('bad', () => Promise.reject(new CodedError({ code: 'trace/bad', message: 'Bad.' })));
    requests.run('good', () => Promise.resolve('good'));
    await settle();
    expect(outcomes).toMatchObject([{ key: 'bad', error: { code: 'trace/bad' } }, { value: 'good' }]);
  });

  test('nothing is delivered once it is disposed of', async () => {
    const outcomes: Outcome<string>[] = [];
    const requests = new LatestRequest<string>((outcome) => outcomes.push(outcome));
    const late = deferred<string>();
    requests.run('late', () => late.promise);
    requests.dispose();
    late.resolve('late');
    await settle();
    expect(outcomes).toEqual([]);
  });
});

describe('a window into a long list', () => {
  const total = 10_000;
  const largest = 500;

  function bufferOf(asked: [number, number][]): WindowBuffer<Slice> {
    return new WindowBuffer<Slice>({
      fetch: (from, limit) => {
        asked.push([from, limit]);
        return Promise.resolve({ from, length: Math.max(0, Math.min(limit, total - from)), total });
      },
      largest,
      smallest: 64,
      onChange: () => undefined,
    });
  }

  test('holds what is visible, and never asks for too much', async () => {
    const visible = fc.tuple(fc.nat(total - 1), fc.integer({ min: 1, max: 900 }));
    await fc.assert(
      fc.asyncProperty(fc.array(visible, { minLength: 1, maxLength: 8 }), async (screens) => {
        const asked: [number, number][] = [];
        const buffer = bufferOf(asked);
        for (const [first, length] of screens) {
          const end = Math.min(first + length, total);
          buffer.want(first, end);
          await settle();
          const slice = buffer.slice;
          expect(slice).toBeDefined();
          expect(slice?.from).toBeLessThanOrEqual(first);
          expect((slice?.from ?? 0) + (slice?.length ?? 0)).toBeGreaterThanOrEqual(
            Math.min(end, first + largest - 32),
          );
          const requests = asked.length;
          buffer.want(first, end);
          expect(asked).toHaveLength(requests);
        }
        for (const [, limit] of asked) expect(limit).toBeLessThanOrEqual(largest);
      }),
      { seed: 42, numRuns: 60 },
    );
  });

  test('asks once for a small scroll', async () => {
    const asked: [number, number][] = [];
    const buffer = bufferOf(asked);
    buffer.want(100, 130);
    await settle();
    buffer.want(110, 140);
    buffer.want(90, 120);
    expect(asked).toHaveLength(1);
    buffer.want(400, 430);
    await settle();
    expect(asked).toHaveLength(2);
  });

  test('keeps what it has when asking again fails, and says why', async () => {
    let broken = false;
    const buffer = new WindowBuffer<Slice>({
      fetch: () =>
        broken ? Promise.reject(new Error('away')) : Promise.resolve({ from: 0, length: 10, total: 10 }),
      largest,
      smallest: 64,
      onChange: () => undefined,
    });
    buffer.want(0, 10);
    await settle();
    broken = true;
    buffer.refresh();
    await settle();
    expect(buffer.slice?.length).toBe(10);
    expect(buffer.error?.message).toBe('away');
    broken = false;
    buffer.refresh();
    await settle();
    expect(buffer.error).toBeUndefined();
  });
});
