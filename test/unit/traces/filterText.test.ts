import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Filter, filter as filterSchema } from '../../../src/traces/core/protocol/traceFilter.ts';
import { parseFilter, type FilterProblem } from '../../../src/traces/core/filterText.ts';
import { fuzz } from '../fuzz.ts';

function read(text: string): Filter | null {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(`${parsed.problem.kind}: ${parsed.problem.text}`);
  return parsed.filter;
}

function problem(text: string): FilterProblem {
  const parsed = parseFilter(text);
  if ('filter' in parsed) throw new Error('It is a filter.');
  return parsed.problem;
}

const number = (field: string, is: string, value: number, within?: number) => ({
  kind: 'number',
  field,
  is,
  value,
  ...(within !== undefined && { within }),
});
const words = (value: string) => ({ kind: 'words', value });

describe('a term', () => {
  test.each<[string, object | null]>([
    ['', null],
    ['  ', null],
    ['spiders', words('spiders')],
    ['"two words"', words('two words')],
    ['error', { kind: 'error' }],
    ['"error"', words('error')],
    ['reward<0', number('reward', '<', 0)],
    ['Reward>=-0.5', number('reward', '>=', -0.5)],
    ['reward=1', number('reward', '=', 1)],
    ['reward:0.667', number('reward', '=', 0.667, 0.0005)],
    ['reward!=.5', number('reward', '!=', 0.5, 0.05)],
    ['mask=0%', number('mask', '=', 0)],
    ['mask<50%', number('mask', '<', 0.5)],
    ['solved=50%', number('solved', '=', 0.5, 0.005)],
    ['time>2min', number('time', '>', 120)],
    ['time<250ms', number('time', '<', 0.25)],
    ['tokens>1,500', number('tokens', '>', 1500)],
    ['tokens>10k', number('tokens', '>', 10_000)],
    ['agent:judge', { kind: 'text', field: 'agent', value: 'judge' }],
    ['tool="a b"', { kind: 'text', field: 'tool', value: 'a b' }],
    [
      'finding!=context-overflow',
      { kind: 'not', of: { kind: 'text', field: 'finding', value: 'context-overflow' } },
    ],
    ['trains:No', { kind: 'choice', field: 'trains', value: 'no' }],
    ['error:timeout', { kind: 'text', field: 'error', value: 'timeout' }],
  ])('%s', (text, filter) => {
    expect(read(text)).toEqual(filter);
  });
});

describe('terms together', () => {
  test.each<[string, object]>([
    ['a b', { kind: 'all', of: [words('a'), words('b')] }],
    ['a and b', { kind: 'all', of: [words('a'), words('b')] }],
    ['a b or c', { kind: 'any', of: [{ kind: 'all', of: [words('a'), words('b')] }, words('c')] }],
    ['a (b or c)', { kind: 'all', of: [words('a'), { kind: 'any', of: [words('b'), words('c')] }] }],
    ['-a', { kind: 'not', of: words('a') }],
    ['not(a)', { kind: 'not', of: words('a') }],
    ['- a', { kind: 'all', of: [words('-'), words('a')] }],
    ['order android nothing', { kind: 'all', of: ['order', 'android', 'nothing'].map(words) }],
  ])('%s', (text, filter) => {
    expect(read(text)).toEqual(filter);
  });
});

describe('what is no filter says where', () => {
  test.each<[string, Partial<FilterProblem>]>([
    ['a rewrd<0', { kind: 'unknown-field', text: 'rewrd', from: 2, to: 7 }],
    ['reward<much', { kind: 'no-number', text: 'much', from: 7, to: 11 }],
    ['reward<5%', { kind: 'no-number', text: '5%', from: 7, to: 9 }],
    ['reward<', { kind: 'no-value', from: 0, to: 7 }],
    ['reward< 0', { kind: 'no-value', from: 0, to: 7 }],
    ['agent<a', { kind: 'not-a-number-field', text: 'agent', from: 0, to: 7 }],
    ['trains:maybe', { kind: 'unknown-value', text: 'maybe', known: ['yes', 'no', 'open'], from: 7 }],
    ['"a b', { kind: 'open-quote', from: 0, to: 4 }],
    ['(a', { kind: 'open-parenthesis', from: 0, to: 1 }],
    ['a)', { kind: 'unopened-parenthesis', from: 1, to: 2 }],
    ['()', { kind: 'no-value', from: 0, to: 2 }],
    ['a or', { kind: 'no-value', from: 2, to: 4 }],
    ['or a', { kind: 'no-value', from: 0, to: 2 }],
    ['a not', { kind: 'no-value', from: 2, to: 5 }],
    ['tool:""', { kind: 'no-value', from: 0, to: 7 }],
  ])('%s', (text, expected) => {
    expect(problem(text)).toMatchObject(expected);
  });
});

test('any text is a filter that crosses the wire, or has a problem within it', () => {
  const piece = fc.constantFrom(
    'reward',
    '<',
    '=',
    ':',
    '0.5',
    ' ',
    '"',
    '(',
    ')',
    'or',
    'not',
    '-',
    'tool',
    'é',
    '%',
  );
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseFilter(written);
      if ('problem' in parsed) {
        expect(parsed.problem.from).toBeLessThan(parsed.problem.to);
        expect(parsed.problem.to).toBeLessThanOrEqual(written.length);
      } else if (parsed.filter !== null) {
        expect(filterSchema.parse(JSON.parse(JSON.stringify(parsed.filter)))).toEqual(parsed.filter);
      }
    }),
    fuzz(71, 3_000),
  );
});
