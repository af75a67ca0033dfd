/** The time axis without its canvas: lanes, zoom, ticks, blocks, what lies where, and where the time went. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallRow, EpisodeView, SpanRow } from '../../../src/traces/core/protocol/episodeRpc.ts';
import { RowMips } from '../../../src/traces/webview/episode/axis/mips.ts';
import {
  axisModel,
  boundsAt,
  endOf,
  spanAt,
  spanInNextLane,
} from '../../../src/traces/webview/episode/axis/model.ts';
import {
  around,
  following,
  including,
  lengthOf,
  panned,
  total,
  union,
  without,
  zoomed,
  type Range,
} from '../../../src/traces/webview/episode/axis/range.ts';
import { tickLabel, ticksIn } from '../../../src/traces/webview/episode/axis/ticks.ts';
import { sharesOf, totalsOf } from '../../../src/traces/webview/episode/axis/totals.ts';
import { callRow, dayZero, episodeRow, spanRow } from '../harness/records.ts';

function view(calls: readonly CallRow[], row: Partial<EpisodeView['row']> = {}): EpisodeView {
  return { row: episodeRow({ episode: 0, seconds: 20, ...row }), calls, timelines: [] };
}

const at = (milliseconds: number): number => dayZero + milliseconds;

const calls: fc.Arbitrary<readonly CallRow[]> = fc
  .array(fc.tuple(fc.constantFrom('solver', 'judge'), fc.nat(10_000), fc.nat(3_000)), { maxLength: 30 })
  .map((drawn) =>
    drawn.map(([agent, start, length], call) =>
      callRow({ call, agent, startedAt: at(start), seconds: length / 1000 }),
    ),
  );

const others: fc.Arbitrary<readonly SpanRow[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<SpanRow['kind'][]>('tool', 'judge', 'environment', 'workflow', 'call'),
      name: fc.constantFrom('a', 'b'),
      start: fc.nat(10_000),
      length: fc.option(fc.nat(3_000), { nil: null }),
      call: fc.nat(40),
    }),
    { maxLength: 20 },
  )
  .map((drawn) =>
    drawn.map(({ kind, name, start, length, call }) =>
      spanRow({
        kind,
        name,
        call: kind === 'tool' || kind === 'call' ? call : null,
        startedAt: at(start),
        seconds: length === null || kind === 'call' ? null : length / 1000,
        state: length === null || kind === 'call' ? 'running' : 'ended',
      }),
    ),
  );

const models = fc
  .tuple(calls, others, fc.boolean())
  .map(([own, rest, runs]) => axisModel(view(own, runs ? { state: 'running', seconds: null } : {}), rest));

describe('lanes', () => {
  test('hold each span once, and none covers another on its row', () => {
    fc.assert(
      fc.property(models, ({ spans, rows, rowOf, lanes, ids }) => {
        const drawn = rows.flatMap(({ mips }) => mips.spans.map(({ key }) => ids.get(key) ?? -1));
        expect(drawn.sort((a, b) => a - b)).toEqual(spans.map((_, id) => id));
        expect(ids.size).toBe(spans.length);
        rows.forEach(({ mips, lane }, row) => {
          mips.spans.forEach((span, index) => {
            expect(rowOf.get(span)).toBe(row);
            expect(span.kind).toBe(lanes[lane]?.kind);
            if (index > 0) expect(span.start).toBeGreaterThanOrEqual(mips.spans[index - 1]?.end ?? 0);
          });
        });
      }),
      { seed: 43 },
    );
  });

  test('are the workflow, agents and tools in order of first use, then what serves and judges them', () => {
    const model = axisModel(
      view([callRow({ call: 0, agent: 'late', startedAt: at(500) }), callRow({ call: 1, agent: 'early' })]),
      [
        spanRow({ kind: 'judge', name: 'J' }),
        spanRow({ kind: 'tool', name: 'search', call: 0 }),
        spanRow({ kind: 'environment', name: 'create' }),
        spanRow({ kind: 'environment', name: 'step', startedAt: at(2_000) }),
        spanRow({ kind: 'workflow', name: 'W' }),
      ],
    );
    expect(model.lanes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'workflow W',
      'agent early',
      'agent late',
      'tool search',
      'environment create',
      'judge J',
    ]);
  });

  test('begin with what came first where the episode’s own beginning cannot be', () => {
    const [one, other] = [callRow({ call: 0, startedAt: at(0) }), callRow({ call: 1, startedAt: at(500) })];
    for (const startedAt of [0, at(300)])
      expect(axisModel(view([one, other], { startedAt }), []).spans.map(({ start }) => start)).toEqual([
        0, 500,
      ]);
    const later = axisModel(view([one, other], { startedAt: at(-200) }), []);
    expect(later.spans.map(({ start }) => start)).toEqual([200, 700]);
  });

  test('have no call of which nobody told when it was made, and one row for what takes no time', () => {
    const untimed = callRow({ call: 0, startedAt: 0, seconds: 0 });
    const short = [1, 2, 3].map((call) => callRow({ call, startedAt: at(0), seconds: 0 }));
    const tool = spanRow({ kind: 'tool', name: 'search', call: 0, startedAt: 0 });
    const model = axisModel(view([untimed, ...short]), [tool]);
    expect(model.spans.map(({ call }) => call)).toEqual([1, 2, 3]);
    expect(model.rows).toHaveLength(1);
    expect(axisModel(view([untimed]), []).spans).toEqual([]);
  });

  test('have a call that runs until its own record is there', () => {
    const running = spanRow({ kind: 'call', name: 'solver', call: 1, seconds: null, state: 'running' });
    const going = { state: 'running', seconds: null } as const;
    const before = axisModel(view([callRow({ call: 0 })], going), [running]);
    const after = axisModel(view([callRow({ call: 0 }), callRow({ call: 1 })], going), [running]);
    expect(before.spans.map(({ key, state }) => [key, state])).toEqual([
      ['call 0', 'ended'],
      ['call 1', 'running'],
    ]);
    expect(after.spans.map(({ key, state }) => [key, state])).toEqual([
      ['call 0', 'ended'],
      ['call 1', 'ended'],
    ]);
  });
});

describe('what lies where', () => {
  test('is found as by looking at each span', () => {
    fc.assert(
      fc.property(models, fc.nat(14_000), (model, time) => {
        const now = 15_000;
        model.rows.forEach((_, row) => {
          const found = spanAt(model, row, time, { reach: 0, now });
          const covering = model.spans.flatMap((span, id) =>
            model.rowOf.get(span) === row && span.start <= time && time <= endOf(span, now) ? [id] : [],
          );
          if (covering.length === 0) expect(found).toBeUndefined();
          else expect(covering).toContain(found);
        });
      }),
      { seed: 44 },
    );
  });

  test('is found a little beside it, too: what takes no time is narrow', () => {
    const model = axisModel(view([callRow({ call: 0, startedAt: at(1_000), seconds: 0 })]), []);
    expect(spanAt(model, 0, 1_004, { reach: 5, now: 0 })).toBe(0);
    expect(spanAt(model, 0, 996, { reach: 5, now: 0 })).toBe(0);
    expect(spanAt(model, 0, 1_006, { reach: 5, now: 0 })).toBeUndefined();
    expect(spanAt(model, 7, 1_000, { reach: 5, now: 0 })).toBeUndefined();
  });

  test('has a nearest in the next lane, whichever row that is on', () => {
    const model = axisModel(
      view([
        callRow({ call: 0, startedAt: at(5_000) }),
        callRow({ call: 1, agent: 'other', startedAt: at(5_100), seconds: 9 }),
        callRow({ call: 2, agent: 'other', startedAt: at(5_010), seconds: 9 }),
        callRow({ call: 3, agent: 'other', startedAt: at(100) }),
      ]),
      [],
    );
    const idOf = (call: number): number => model.ids.get(`call ${call}`) ?? -1;
    // `other` calls first.
    expect(spanInNextLane(model, idOf(0), -1)).toBe(idOf(2));
    expect(spanInNextLane(model, idOf(3), 1)).toBe(idOf(0));
    expect(spanInNextLane(model, idOf(0), 1)).toBeUndefined();
  });
});

describe('blocks', () => {
  const row = fc
    .array(fc.tuple(fc.nat(50), fc.nat(30), fc.nat(1)), { minLength: 1, maxLength: 200 })
    .map((drawn) => {
      let end = 0;
      const spans = drawn.map(([gap, length, failed]) => {
        const start = end + gap / 10;
        end = start + length / 10;
        return { start, end, state: failed === 1 ? 'failed' : 'ended' };
      });
      return new RowMips(spans);
    });

  test('stand for each span once, tell of failures, and are no more than there are pixels', () => {
    fc.assert(
      fc.property(row, fc.integer({ min: -12, max: 12 }), (mips, power) => {
        const resolution = 1.5 * 2 ** power;
        const blocks = mips.at(resolution);
        const { spans } = mips;
        expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(spans.length);
        const taken = spans.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(blocks.reduce((sum, { busy }) => sum + busy, 0)).toBeCloseTo(taken);
        for (const { start, end, first, count, failed } of blocks) {
          const from = spans.indexOf(first);
          const own = spans.slice(from, from + count);
          expect(start).toBe(first.start);
          expect(end).toBe(Math.max(...own.map((span) => span.end)));
          expect(failed).toBe(own.some(({ state }) => state === 'failed'));
          if (count > 1) expect(end - start).toBeLessThan(2 * resolution);
        }
        const whole = (spans.at(-1)?.end ?? 0) / resolution;
        expect(blocks.length).toBeLessThanOrEqual(4 * whole + 3);
      }),
      { seed: 45 },
    );
  });
});

const bounds: Range = { start: 0, end: 10_000 };
const range = fc
  .tuple(fc.nat(9_000), fc.integer({ min: 1, max: 1_000 }))
  .map(([start, length]): Range => ({ start, end: start + length }));

describe('what is in view', () => {
  test('stays within the episode', () => {
    fc.assert(
      fc.property(
        range,
        fc.double({ min: 0.01, max: 50, noNaN: true }),
        fc.nat(10_000),
        (one, factor, time) => {
          for (const next of [zoomed(one, factor, time, bounds), panned(one, time - 5_000, bounds)]) {
            expect(next.start).toBeGreaterThanOrEqual(0);
            expect(next.end).toBeLessThanOrEqual(10_000.000001);
            expect(lengthOf(next)).toBeGreaterThan(0);
          }
        },
      ),
      { seed: 46 },
    );
  });

  test('keeps the time below the pointer where it is when it is zoomed', () => {
    const [before, time] = [{ start: 2_000, end: 6_000 }, 3_000];
    const after = zoomed(before, 0.5, time, bounds);
    expect(lengthOf(after)).toBe(2_000);
    expect((time - after.start) / lengthOf(after)).toBeCloseTo((time - before.start) / lengthOf(before));
  });

  test('moves only for what is not in it', () => {
    const part = { start: 2_000, end: 4_000 };
    expect(including(part, { start: 2_500, end: 2_600 }, bounds)).toBe(part);
    expect(including(part, { start: 6_000, end: 6_200 }, bounds)).toEqual({ start: 5_100, end: 7_100 });
    expect(including(part, { start: 5_000, end: 8_000 }, bounds)).toEqual(
      around({ start: 5_000, end: 8_000 }, bounds),
    );
  });

  test('follows what grows if it was at its end, and else stays', () => {
    const grown = { start: 0, end: 12_000 };
    expect(following(bounds, bounds, grown)).toEqual(grown);
    expect(following({ start: 8_000, end: 10_000 }, bounds, grown)).toEqual({ start: 10_000, end: 12_000 });
    expect(following({ start: 8_000, end: 9_999 }, bounds, grown)).toEqual({ start: 8_000, end: 9_999 });
  });
});

describe('ticks', () => {
  test('are within what is in view, evenly, no more than are wanted, and told apart', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: 0.02, max: 1e9, noNaN: true }),
        (start, length) => {
          const shown = { start, end: start + length };
          const { step, times } = ticksIn(shown, 8);
          expect(times.length).toBeLessThanOrEqual(10);
          times.forEach((time, index) => {
            expect(time).toBeGreaterThanOrEqual(start - step * 1e-6);
            expect(time).toBeLessThanOrEqual(shown.end + step * 1e-6);
            if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeCloseTo(step, 6);
          });
          expect(new Set(times.map((time) => tickLabel(time, step))).size).toBe(times.length);
        },
      ),
      { seed: 47 },
    );
  });

  test('have labels that suit the zoom', () => {
    const labels = (start: number, end: number): readonly string[] => {
      const { step, times } = ticksIn({ start, end }, 4);
      return times.map((time) => tickLabel(time, step));
    };
    expect(labels(0, 4_100)).toEqual(['0 s', '2 s', '4 s']);
    expect(labels(1_000, 2_000)).toEqual(['1.0 s', '1.5 s', '2.0 s']);
    expect(labels(0, 0.4)).toEqual(['0.0 ms', '0.1 ms', '0.2 ms', '0.3 ms', '0.4 ms']);
    expect(labels(0, 200_000)).toEqual(['0 s', '1 min 00 s', '2 min 00 s', '3 min 00 s']);
    expect(labels(70_000, 72_000)).toEqual([
      '1 min 10.0 s',
      '1 min 10.5 s',
      '1 min 11.0 s',
      '1 min 11.5 s',
      '1 min 12.0 s',
    ]);
    expect(labels(3_599_000, 3_601_000)[2]).toBe('1 h 00 min 00.0 s');
    expect(labels(3_600_000, 3_690_000)).toEqual([
      '1 h 00 min 00 s',
      '1 h 00 min 30 s',
      '1 h 01 min 00 s',
      '1 h 01 min 30 s',
    ]);
    expect(labels(7_200_000, 9_000_000)).toEqual(['2 h 00 min', '2 h 10 min', '2 h 20 min', '2 h 30 min']);
    expect(labels(0, 200 * 3_600_000).at(-1)).toBe('6 d 00 h');
  });
});

describe('where the time went', () => {
  const ranges = fc.array(
    fc.tuple(fc.nat(200), fc.nat(40)).map(([start, length]): Range => ({ start, end: start + length })),
    { maxLength: 20 },
  );

  test('is counted once where things overlap', () => {
    fc.assert(
      fc.property(ranges, ranges, (some, rest) => {
        const covers = (list: readonly Range[], time: number): boolean =>
          list.some(({ start, end }) => start <= time && time < end);
        const times = Array.from({ length: 250 }, (_, time) => time);
        expect(total(union(some))).toBe(times.filter((time) => covers(some, time)).length);
        expect(total(without(union(some), union(rest)))).toBe(
          times.filter((time) => covers(some, time) && !covers(rest, time)).length,
        );
      }),
      { seed: 48 },
    );
  });

  test('is told of the model, of queues, of services, of judges and of the workflow itself', () => {
    const model = axisModel(
      view(
        [
          callRow({ call: 0, startedAt: at(1_000), seconds: 2, askedAfter: 0.5 }),
          callRow({ call: 1, startedAt: at(2_000), seconds: 2, askedAfter: 0 }),
        ],
        { seconds: 10 },
      ),
      [
        spanRow({ kind: 'workflow', name: 'W', startedAt: at(500), seconds: 7 }),
        spanRow({ kind: 'environment', name: 'step', startedAt: at(5_000), seconds: 1 }),
        spanRow({ kind: 'judge', name: 'J', startedAt: at(8_000), seconds: 1.5 }),
        spanRow({ kind: 'tool', name: 'search', call: 0, startedAt: at(4_000), seconds: 2 }),
        spanRow({ kind: 'tool', name: 'search', call: 1, startedAt: at(4_000), seconds: 1 }),
        spanRow({ kind: 'tool', name: 'lost', call: 1, seconds: null, state: 'unanswered' }),
      ],
    );
    expect(sharesOf(model, 0)).toEqual({
      whole: 10_000,
      model: 3_000,
      queued: 500,
      tools: 2_000,
      services: 1_000,
      judge: 1_500,
      working: 7_000 - 3_000 - 1_000,
    });
    const told = totalsOf(model, 0).map(
      ({ kind, name, count, timed, sum, covered }) => `${kind} ${name} ${count} ${timed} ${sum} ${covered}`,
    );
    expect(told).toEqual([
      'workflow W 1 1 7000 7000',
      'agent solver 2 2 4000 3000',
      'tool lost 1 0 0 0',
      'tool search 2 2 3000 2000',
      'environment step 1 1 1000 1000',
      'judge J 1 1 1500 1500',
    ]);
  });

  test('grows while something runs', () => {
    const running = spanRow({ kind: 'call', name: 'solver', call: 0, seconds: null, state: 'running' });
    const model = axisModel(view([], { state: 'running', seconds: null }), [running]);
    expect(boundsAt(model, 3_000)).toEqual({ start: 0, end: 3_000 });
    expect(sharesOf(model, 3_000)).toMatchObject({ whole: 3_000, model: 3_000 });
  });
});
