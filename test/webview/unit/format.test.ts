import { expect, test } from 'vitest';
import * as format from '../../../src/webview/ui/format.ts';

test.each([
  [0, '0 %'],
  [0.001, '< 1 %'],
  [0.342, '34 %'],
  [0.999, '> 99 %'],
  [1, '100 %'],
  [null, '–'],
])('%s is %s', (fraction, text) => {
  expect(format.percent(fraction)).toBe(text);
});

test('a share of nothing is unknown', () => {
  expect(format.share(0, 0)).toBe('–');
});

test.each([
  [0.008, '8 ms'],
  [0.42, '0.42 s'],
  [12.34, '12.3 s'],
  [59.97, '1 min 00 s'],
  [125, '2 min 05 s'],
  [null, '–'],
])('%s seconds are %s', (seconds, text) => {
  expect(format.duration(seconds)).toBe(text);
});

test.each([
  [1, '1'],
  [2 / 3, '0.667'],
  [-0.5, '−0.5'],
  [null, '–'],
])('the reward %s is %s', (value, text) => {
  expect(format.reward(value)).toBe(text);
});

test('numbers, logprobs, counts and paths read as people write them', () => {
  expect(format.count(1_234_567)).toBe('1,234,567');
  expect(format.logprob(-0.1234)).toBe('−0.123');
  expect(format.logprob(null)).toBe('no logprob');
  expect([format.counted(1, 'call'), format.counted(0, 'call')]).toEqual(['1 call', '0 calls']);
  expect([format.fileName('/a/b.yaml'), format.fileName('C:\\a\\b.yaml')]).toEqual(['b.yaml', 'b.yaml']);
});

test('what is no JSON is shown as it is', () => {
  expect(format.prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(format.prettyJson('{"a":')).toBe('{"a":');
});
