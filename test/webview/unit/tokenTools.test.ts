/** What the token level works out without a page: searches, what colours stand for, what is copied. */
import { describe, expect, test } from 'vitest';
import type { TokensView, FindView } from '../../../src/traces/core/protocol/tokenRpc.ts';
import { formats } from '../../../src/traces/webview/detail/copyTokens.ts';
import { hiddenName, spoken } from '../../../src/traces/webview/detail/tokenLayout.ts';
import {
  advantageShade,
  entropyShade,
  klShade,
  logprobShade,
  ratioShade,
} from '../../../src/traces/webview/detail/tokenLayers.ts';
import { tokenAfterMapKey } from '../../../src/traces/webview/detail/tokenMoves.ts';
import {
  mostMatches,
  Searcher,
  wantedOf,
  type Search,
} from '../../../src/traces/webview/detail/tokenSearch.ts';

const wanted = { kind: 'text', text: 'x', matchCase: false } as const;
const at = (...tokens: readonly number[]): FindView['matches'] =>
  tokens.map((from) => ({ from, end: from + 1 }));

/** A searcher whose answers come when the test wants them to. */
function aSearch(): {
  readonly searcher: Searcher;
  readonly states: (Search | null)[];
  readonly arrived: number[];
  readonly answer: (view: FindView) => Promise<void>;
  readonly fail: (message: string) => Promise<void>;
  readonly asked: number[];
} {
  const states: (Search | null)[] = [];
  const arrived: number[] = [];
  const asked: number[] = [];
  const open: { resolve: (view: FindView) => void; reject: (error: Error) => void }[] = [];
  const searcher = new Searcher({
    ask: (_, from) => {
      asked.push(from);
      return new Promise((resolve, reject) => open.push({ resolve, reject }));
    },
    onChange: (search) => states.push(search),
    onArrive: ({ from }) => arrived.push(from),
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    searcher,
    states,
    arrived,
    asked,
    answer: (view) => {
      open.shift()?.resolve(view);
      return settle();
    },
    fail: (message) => {
      open.shift()?.reject(new Error(message));
      return settle();
    },
  };
}

describe('a search', () => {
  test('comes to the first match ahead, goes on behind it, and around the ends', async () => {
    const { searcher, answer, arrived, asked, states } = aSearch();
    void searcher.start(wanted, 50);
    await answer({ matches: at(10, 20), next: 40 });
    expect(arrived).toEqual([]);
    await answer({ matches: at(60, 70), next: 80 });
    expect(arrived).toEqual([60]);
    await answer({ matches: at(90), next: null });
    expect(asked).toEqual([0, 40, 80]);
    expect(states.at(-1)).toMatchObject({ state: 'done', at: 2 });
    for (const direction of [1, 1, 1, -1] as const) searcher.step(direction);
    expect(arrived).toEqual([60, 70, 90, 10, 90]);
  });

  test('comes to the first of all where none is ahead', async () => {
    const { searcher, answer, arrived } = aSearch();
    void searcher.start(wanted, 50);
    await answer({ matches: at(10, 20), next: null });
    expect(arrived).toEqual([10]);
  });

  test('that a newer one follows is forgotten, and so is one that was ended', async () => {
    const { searcher, answer, arrived, states } = aSearch();
    void searcher.start(wanted, 0);
    void searcher.start({ kind: 'id', id: 3 }, 0);
    await answer({ matches: at(1), next: null });
    expect(arrived).toEqual([]);
    await answer({ matches: at(2), next: 9 });
    expect(arrived).toEqual([2]);
    searcher.clear();
    await answer({ matches: at(3), next: null });
    expect(states.at(-1)).toBeNull();
  });

  test('says why it failed, and stops at as many matches as are kept', async () => {
    const { searcher, fail, answer, states, asked } = aSearch();
    void searcher.start(wanted, 0);
    await fail('no pattern');
    expect(states.at(-1)).toMatchObject({ state: 'failed', error: { message: 'no pattern' } });
    void searcher.start(wanted, 0);
    await answer({ matches: at(...Array(mostMatches).keys()), next: 1 });
    expect(states.at(-1)).toMatchObject({ state: 'full' });
    expect(asked).toEqual([0, 0]);
  });

  test('is of what was typed', () => {
    expect(wantedOf('', 'text', true)).toBeUndefined();
    expect(wantedOf(' a', 'pattern', true)).toEqual({ kind: 'pattern', text: ' a', matchCase: true });
    expect(wantedOf(' 42 ', 'id', true)).toEqual({ kind: 'id', id: 42 });
    expect(wantedOf('4.2', 'id', true)).toBeUndefined();
  });
});

test('colours stand for steps of a scale', () => {
  expect([1, 0.9, 0.89, 0.3, 0.1, 0.02, 0.001].map((p) => logprobShade(Math.log(p) + 1e-12))).toEqual([
    null,
    null,
    'heat-1',
    'heat-2',
    'heat-3',
    'heat-4',
    'heat-5',
  ]);
  expect([0, 0.1, 0.7, 1.5, 2.5, 9].map(entropyShade)).toEqual([
    null,
    'heat-1',
    'heat-2',
    'heat-3',
    'heat-4',
    'heat-5',
  ]);
  expect([0, 0.2, -0.2, 3, -1.2].map(advantageShade)).toEqual([
    null,
    'better-1',
    'worse-1',
    'better-5',
    'worse-3',
  ]);
  expect([0, 0.005, 0.02, 0.1, 0.5, 1].map(klShade)).toEqual([
    null,
    'heat-1',
    'heat-2',
    'heat-3',
    'heat-4',
    'heat-5',
  ]);
});

test('the colour of a ratio tells how far it is on its way out of the clip range', () => {
  const shades = (low: number, high: number, ratios: readonly number[]): unknown =>
    ratios.map((ratio) => ratioShade(ratio, { low, high }));
  expect(shades(0.8, 1.28, [1, 1.001, 1.05, 1.1, 1.15, 1.25, 1.29])).toEqual([
    null,
    null,
    'better-1',
    'better-2',
    'better-3',
    'better-4',
    'better-5',
  ]);
  expect(shades(0.8, 1.28, [0.999, 0.9, 0.81, 0.79])).toEqual([null, 'worse-2', 'worse-4', 'worse-5']);
  // Nothing is below a range that begins at 0; everything is outside of an empty one.
  expect(shades(0, 1.2, [0.01, 0])).toEqual([null, 'worse-5']);
  expect(shades(1, 1, [1, 0.999, 1.001])).toEqual([null, 'worse-5', 'better-5']);
  expect([1.5, 0.4].map((ratio) => ratioShade(ratio, null))).toEqual(['better-3', 'worse-5']);
});

test('keys lead along the map by screens, tenths and to its ends', () => {
  const shown = { first: 500, end: 600 };
  const targets = ['ArrowRight', 'ArrowLeft', 'PageUp', 'PageDown', 'Home', 'End', 'x'].map((key) =>
    tokenAfterMapKey(key, shown, 10_000),
  );
  expect(targets).toEqual([600, 400, 1_500, 0, 0, 9_999, undefined]);
});

test('what shows nothing has a name, and is spoken', () => {
  expect(['\0', '\u202e', '\u{e0041}', '\ufeff'].map(hiddenName)).toEqual(['NUL', 'RLO', 'U+E0041', 'BOM']);
  expect(spoken('\u001b[31m')).toBe('ESC [31m');
  expect(spoken('a\u200b b')).toBe('a ZWSP space b');
});

test('tokens are copied as text, as ids and as JSON', () => {
  const view: TokensView = {
    from: 7,
    total: 9,
    ids: [1, 2],
    texts: ['a "', '\n'],
    special: [false, true],
    lossMask: [1, 0],
    logprobs: [-0.5, null],
    messages: [0, 0],
    authors: ['llm', 'template'],
    drifted: [0, 0],
    entropies: [null, null],
    trainer: { logprobs: [-0.25, null], ratios: [1.284, null], kls: [0.01, null] },
  };
  const key = { episode: 3, timeline: 0 };
  const copy = (form: 'text' | 'ids' | 'json'): string =>
    formats[form].join([formats[form].of(view), formats[form].of(view)], key);
  expect(copy('text')).toBe('a "\na "\n');
  expect(JSON.parse(copy('ids'))).toEqual([1, 2, 1, 2]);
  const token = {
    position: 7,
    id: 1,
    text: 'a "',
    special: false,
    message: 0,
    author: 'llm',
    lossMask: 1,
    logprob: -0.5,
    trainerLogprob: -0.25,
    ratio: 1.284,
    kl: 0.01,
  };
  expect(JSON.parse(copy('json'))).toMatchObject({ ...key, tokens: [token, { id: 2 }, token, { id: 2 }] });
});
