import { expect, test } from 'vitest';
import { trendOf } from '../../../../../src/training/core/runs/alarms.ts';

test.each([
  // 14 of 15 pairs rise and one falls.
  ['rises', [1, 2, 4, 3, 5, 6], 13 / 15],
  ['falls', [6, 5, 3, 4, 2, 1], -13 / 15],
  // Two pairs are ties.
  ['has ties', [1, 1, 2, 2, 3, 4], 13 / 15],
  ['is all the same', [2, 2, 2, 2], 0],
])('a series that %s', (_, values, trend) => {
  expect(trendOf(values)).toBeCloseTo(trend, 3);
});
