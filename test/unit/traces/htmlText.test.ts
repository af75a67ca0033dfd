/** What the exported page says of numbers. */
import { expect, test } from 'vitest';
import { duration } from '../../../src/traces/core/export/htmlText.ts';

test.each([
  [0, '0 ms'],
  [0.25, '250 ms'],
  [0.9996, '1.0 s'],
  [1.25, '1.3 s'],
  [59.96, '1 min 0 s'],
  [119.7, '2 min 0 s'],
  [3_599.6, '1 h 0 min'],
  [7_199, '2 h 0 min'],
  [9_000, '2 h 30 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
