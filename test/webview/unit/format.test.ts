import { expect, test } from 'vitest';
import { findingKinds } from '../../../src/tracking/core/findings.ts';
import { titleOf } from '../../../src/traces/webview/ui/findingTitles.ts';
import * as format from '../../../src/base/core/format.ts';

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
  [0, '0 ms'],
  [0.008, '8 ms'],
  [0.42, '0.42 s'],
  [0.9996, '1.00 s'],
  [12.34, '12.3 s'],
  [59.97, '1 min 00 s'],
  [119.7, '2 min 00 s'],
  [125, '2 min 05 s'],
  [3_599.6, '1 h 00 min'],
  [11_100, '3 h 05 min'],
  [86_399, '1 d 00 h'],
  [183_600, '2 d 03 h'],
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
  expect([0, 1, 1234].map(format.countedCalls)).toEqual(['0 calls', '1 call', '1,234 calls']);
  expect([0, 1, 1234].map(format.countedTokens)).toEqual(['0 tokens', '1 token', '1,234 tokens']);
  expect([format.fileName('/a/b.yaml'), format.fileName('C:\\a\\b.yaml')]).toEqual(['b.yaml', 'b.yaml']);
});

test('what is no JSON is shown as it is', () => {
  expect(format.prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(format.prettyJson('{"a":')).toBe('{"a":');
});

test('findings have the titles of their catalog', () => {
  const titles = Object.entries(findingKinds).map(([code, { title }]) => [code, title]);
  expect(titles.map(([code = '']) => [code, titleOf(code)])).toEqual(titles);
  expect(titleOf('of-another-version')).toBeUndefined();
});
