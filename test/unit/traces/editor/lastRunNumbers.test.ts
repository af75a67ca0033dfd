/** What lenses in code tell of the last run: where they lead, which run that is, and where their lines have gone. */
import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/core/event.ts';
import type { LinesView, LineView } from '../../../../src/traces/core/protocol/codeRpc.ts';
import type { TraceClient } from '../../../../src/traces/core/methods.ts';
import { parseFilter } from '../../../../src/traces/core/filterText.ts';
import { codeNumbers, routeOf } from '../../../../src/traces/editor/codeNumbers.ts';
import { LastRunNumbers } from '../../../../src/traces/editor/lastRunNumbers.ts';
import { TrackedLines } from '../../../../src/traces/editor/trackedLines.ts';
import { parseRoute } from '../../../../src/traces/webview/state/route.ts';
import { FakeClock } from '../../fakeClock.ts';

function aLine(changes: Partial<LineView> = {}): LineView {
  return {
    ...{ file: '/w/workflow.ts', line: 3, column: 7, function: 'solve', name: 'workflow.ts' },
    ...{ state: 'same', fingerprint: 'one', calls: 4, episodes: 2, failed: 0 },
    ...{ promptTokens: 10, replyTokens: 4, seconds: 0.5, reward: 1, first: { episode: 5, call: 2 } },
    ...changes,
  };
}

function aView(changes: Partial<LinesView> = {}): LinesView {
  return { live: false, lines: [aLine()], tools: [], execute: null, judge: null, ...changes };
}

const placed = (number: Parameters<typeof routeOf>[0]) => parseRoute(new URLSearchParams(routeOf(number)));

describe('a number leads to', () => {
  it.each([
    ['workflow.ts', { kind: 'text', field: 'source', value: 'workflow.ts:3' }],
    ['my agents/a (1).py', { kind: 'text', field: 'source', value: 'my agents/a (1).py:3' }],
    ['a "b".py', { kind: 'text', field: 'source', value: 'a *b*.py:3' }],
  ])('the episodes that called from the line of %s', (name, filter) => {
    const place = placed({ kind: 'call', ...aLine({ name }) });
    if (place.kind !== 'run') throw new Error('the run');
    expect(parseFilter(place.filter)).toEqual({ filter });
  });

  it('the call itself where there is one episode only', () => {
    const number = { kind: 'call', ...aLine({ episodes: 1 }) } as const;
    expect(placed(number)).toEqual({ kind: 'call', episode: 5, call: 2 });
  });

  it('the episodes that called the tool', () => {
    const place = placed({ kind: 'tool', ...aLine(), tool: 'look up' });
    expect(place).toMatchObject({ kind: 'run', filter: 'tool:"look up"' });
  });
});

it('numbers of nothing, and of texts that nobody knows, are left out', () => {
  const part = { ...aLine(), failed: 0, successRate: null };
  const view = aView({
    lines: [aLine(), aLine({ fingerprint: null })],
    execute: { ...part, episodes: 0 },
    judge: part,
  });
  expect(codeNumbers(view).map(({ kind }) => kind)).toEqual(['call', 'judge']);
});

function bench(
  answers: (() => Promise<LinesView>)[],
  traces: readonly (string | undefined)[] = ['/w/a.ajtrace'],
) {
  const asked: string[] = [];
  const failed: unknown[] = [];
  const found = [...traces];
  const client: TraceClient = {
    ask: (method, parameters) => {
      asked.push(`${method} ${'trace' in parameters ? parameters.trace : ''}`);
      return (answers.shift() ?? (() => Promise.resolve(aView())))() as Promise<never>;
    },
    onChanged: new Emitter<string>().event,
  };
  const clock = new FakeClock();
  const numbers = new LastRunNumbers({
    ...{ client, clock, onFailed: (error: unknown) => failed.push(error) },
    findTrace: () => Promise.resolve(found.length > 1 ? found.shift() : found[0]),
  });
  let changes = 0;
  numbers.onChanged(() => changes++);
  return { numbers, clock, asked, failed, changes: () => changes };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the numbers of the last run', () => {
  it('are asked for once somebody wants them, and told of when they are there', async () => {
    const { numbers, clock, asked, changes } = bench([]);
    numbers.traceChanged();
    await numbers.refresh();
    clock.advance(10_000);
    await settled();
    expect(asked).toEqual([]);
    expect(numbers.of('/w/workflow.ts')).toEqual([]);
    expect(numbers.of('/w/other.ts')).toEqual([]);
    await settled();
    expect(asked).toEqual(['lines /w/a.ajtrace']);
    expect(changes()).toBe(1);
    expect(numbers.of('/w/workflow.ts')).toMatchObject([{ kind: 'call', line: 3 }]);
    expect(numbers.of('/w/other.ts')).toEqual([]);
    expect(numbers.trace).toBe('/w/a.ajtrace');
  });

  it('stay those of the run before while a run goes on', async () => {
    const live = (): Promise<LinesView> => Promise.resolve(aView({ live: true, lines: [] }));
    const first = (): Promise<LinesView> => Promise.resolve(aView());
    const { numbers, clock, changes } = bench([first, live], ['/w/a.ajtrace', '/w/b.ajtrace']);
    numbers.of('/w/workflow.ts');
    await settled();
    numbers.traceChanged();
    clock.advance(1_000);
    await settled();
    expect(numbers.trace).toBe('/w/a.ajtrace');
    expect(changes()).toBe(1);
    await numbers.refresh();
    expect(numbers.trace).toBe('/w/b.ajtrace');
    expect(changes()).toBe(2);
  });

  it('are asked for once however often the trace changes, and again for what came meanwhile', async () => {
    const { numbers, clock, asked } = bench([]);
    numbers.of('/w/workflow.ts');
    await settled();
    for (let change = 0; change < 20; change++) numbers.traceChanged();
    clock.advance(1_000);
    await settled();
    expect(asked).toHaveLength(2);
    await Promise.all([numbers.refresh(), numbers.refresh(), numbers.refresh()]);
    await settled();
    expect(asked).toHaveLength(4);
  });

  it('go with the last trace, and a failure leaves them', async () => {
    const fail = (): Promise<LinesView> => Promise.reject(new Error('away'));
    const { numbers, failed } = bench(
      [() => Promise.resolve(aView()), fail],
      ['/w/a.ajtrace', '/w/a.ajtrace', undefined],
    );
    numbers.of('/w/workflow.ts');
    await settled();
    await numbers.refresh();
    expect(failed).toHaveLength(1);
    expect(numbers.of('/w/workflow.ts')).toHaveLength(1);
    await numbers.refresh();
    expect(numbers.of('/w/workflow.ts')).toEqual([]);
  });
});

describe('lines of a text that is known', () => {
  const insertAt = (line: number) => ({
    range: { start: { line, character: 0 }, end: { line, character: 0 } },
    text: 'x\n',
  });
  const typeAt = (line: number) => ({
    range: { start: { line, character: 2 }, end: { line, character: 2 } },
    text: 'x',
  });

  it('go with edits until they are edited themselves', () => {
    const lines = new TrackedLines();
    expect(lines.now('doc', 'one', 3)).toBeUndefined();
    lines.isNow('doc', 'one', 10);
    lines.edited('doc', [insertAt(1)]);
    expect([2, 3, 10].map((line) => lines.now('doc', 'one', line))).toEqual([3, 4, undefined]);
    lines.edited('doc', [typeAt(4)]);
    expect([2, 3].map((line) => lines.now('doc', 'one', line))).toEqual([3, undefined]);
    expect(lines.now('doc', 'two', 2)).toBeUndefined();
    lines.isNow('doc', 'one', 10);
    expect(lines.now('doc', 'one', 3)).toBe(3);
    lines.forget('doc');
    expect(lines.now('doc', 'one', 3)).toBeUndefined();
  });
});
