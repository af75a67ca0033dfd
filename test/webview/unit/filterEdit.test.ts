import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Histogram } from '../../../src/traces/core/protocol/traceLists.ts';
import { fieldNames, parseFilter } from '../../../src/traces/core/filterText.ts';
import {
  barTerm,
  completions,
  hasTerm,
  toggledTerm,
  fieldText,
} from '../../../src/traces/webview/run/filterEdit.ts';

const known = {
  ...{ agents: ['judge', 'the solver'], tools: ['search'], findings: ['context-overflow'] },
  ...{ tasks: ['gsm8k-1'], metadata: [], tags: ['odd'], sources: ['agent.ts:12'] },
};
const offered = (text: string, caret = text.length) =>
  completions(text, caret, known).map((completion) => completion.text);

describe('completions', () => {
  test.each<[string, readonly string[]]>([
    ['rew', ['reward']],
    ['a -AG', ['agent:']],
    ['(tr', ['trainable', 'trains:']],
    ['err', ['error:', 'error']],
    ['trains:', ['yes', 'no', 'open']],
    ['trains:n', ['no']],
    ['agent:', ['judge', '"the solver"']],
    ['tool=s', ['search']],
    ['finding:context', ['context-overflow']],
    ['finding:context-overflow', []],
    ['constructor:', []],
    ['reward<', []],
    ['task:', ['gsm8k-1']],
    ['source:', ['agent.ts:12']],
    ['error:', []],
    ['"rew', []],
  ])('%s', (text, texts) => {
    expect(offered(text)).toEqual(texts);
  });

  test('take the place of the word before the caret', () => {
    expect(completions('error rew agent:x', 9, known)).toEqual([{ text: 'reward', from: 6 }]);
  });

  test('offer every field to an empty word, and say of each what it is', () => {
    const fields = offered('').map((text) => text.replace(':', ''));
    expect([...new Set(fields)].toSorted()).toEqual([...fieldNames].toSorted());
    for (const field of offered('')) expect(fieldText(field)).not.toBe('');
  });
});

describe('a term', () => {
  const toggled = (filter: string) => toggledTerm(filter, 'finding:a', ['finding:b']);

  test.each([
    ['', 'finding:a'],
    ['error', 'error finding:a'],
    ['finding:a', ''],
    ['x finding:a y', 'x y'],
    ['finding:b error', 'error finding:a'],
    ['a or b', '(a or b) finding:a'],
    ['finding:ab', 'finding:ab finding:a'],
  ])('is added to or taken from “%s”', (filter, expected) => {
    expect(toggled(filter)).toBe(expected);
    expect(hasTerm(toggled(filter), 'finding:a')).toBe(!hasTerm(filter, 'finding:a'));
  });

  test('of a bar leaves out what is the next one’s', () => {
    const bars = [
      { from: 0, to: 0.5, count: 1 },
      { from: 0.5, to: 0.5, count: 2 },
      { from: 1, to: 1, count: 2 },
      { from: 1, to: 1.5, count: 1 },
    ];
    const histogram: Histogram = { field: 'mean', of: 'groups', bars, missing: 0 };
    expect(bars.map((bar) => barTerm(histogram, bar))).toEqual([
      'mean>=0 mean<0.5',
      'mean>=0.5 mean<=0.5',
      'mean=1',
      'mean>=1 mean<=1.5',
    ]);
  });

  test('of any bar is a filter of numbers', () => {
    const edge = fc.double({ noNaN: true, min: -1e12, max: 1e12 }).map((value) => value + 0);
    fc.assert(
      fc.property(edge, edge, (from, to) => {
        const bar = { from, to, count: 1 };
        const histogram: Histogram = { field: 'reward', of: 'episodes', bars: [bar], missing: 0 };
        const parsed = parseFilter(barTerm(histogram, bar));
        if (!('filter' in parsed) || parsed.filter === null) throw new Error('It is no filter.');
        const bounds =
          parsed.filter.kind === 'all'
            ? parsed.filter.of.map((bound) => (bound.kind === 'number' ? bound.value : NaN))
            : [parsed.filter.kind === 'number' ? parsed.filter.value : NaN];
        expect(bounds).toEqual(from === to && Number.isInteger(from) ? [from] : [from, to]);
      }),
      { seed: 43, numRuns: 200 },
    );
  });
});
