import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallRow } from '../../../src/protocol/traceRpc.ts';
import { endOf, lanesOf, spanOf, ticksOf, waitingTime } from '../../../src/webview/episode/lanes.ts';
import { callRow } from '../harness/records.ts';

const calls: fc.Arbitrary<readonly CallRow[]> = fc
  .array(fc.tuple(fc.constantFrom('solver', 'judge'), fc.nat(10_000), fc.nat(3_000)), { maxLength: 30 })
  .map((drawn) =>
    drawn.map(([agent, startedAt, length], call) =>
      callRow({ call, agent, startedAt, seconds: length / 1000 }),
    ),
  );

describe('lanes', () => {
  test('hold each call once, below its agent, and none covers another', () => {
    fc.assert(
      fc.property(calls, (given) => {
        const lanes = lanesOf(given);
        const drawn = lanes.flatMap(({ rows }) => rows.flat());
        expect(drawn.map(({ call }) => call).toSorted((a, b) => a - b)).toEqual(
          given.map(({ call }) => call),
        );
        for (const { agent, rows } of lanes) {
          for (const row of rows) {
            expect(row.every((call) => call.agent === agent)).toBe(true);
            row.slice(1).forEach((call, index) => {
              expect(call.startedAt).toBeGreaterThanOrEqual(endOf(row[index] ?? call));
            });
          }
        }
      }),
      { seed: 43 },
    );
  });

  test('are in the order in which their agents first call', () => {
    const late = callRow({ call: 0, agent: 'late', startedAt: 500 });
    const early = callRow({ call: 1, agent: 'early', startedAt: 100 });
    expect(lanesOf([late, early]).map(({ agent }) => agent)).toEqual(['early', 'late']);
  });
});

describe('the span', () => {
  test('reaches from the start of the episode to its end', () => {
    expect(spanOf({ startedAt: 1_000, seconds: 4 }, [callRow({ call: 0, startedAt: 2_000 })])).toEqual({
      start: 1_000,
      end: 5_000,
    });
  });

  test('reaches to the end of the last call while the episode runs', () => {
    const call = callRow({ call: 0, startedAt: 2_000, seconds: 1.5 });
    expect(spanOf({ startedAt: 1_000, seconds: null }, [call])).toEqual({ start: 1_000, end: 3_500 });
  });
});

test('time that several calls wait at once counts once', () => {
  const one = callRow({ call: 0, startedAt: 0, seconds: 2 });
  const other = callRow({ call: 1, startedAt: 1_000, seconds: 2 });
  const later = callRow({ call: 2, startedAt: 10_000, seconds: 1 });
  expect(waitingTime([later, one, other])).toBe(4_000);
});

test('ticks are round, start at nothing and stay within', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (length) => {
      const ticks = ticksOf(length, 8);
      expect(ticks[0]).toBe(0);
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(ticks.at(-1)).toBeLessThanOrEqual(length);
    }),
    { seed: 44 },
  );
  expect(ticksOf(4_100, 8)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
});
