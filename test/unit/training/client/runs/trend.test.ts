import { expect, test } from 'vitest';
import { trendOf } from '../../../../../src/training/core/runs/alarms.ts';

test.each([
  // 14 of 15 pairs rise and one falls: (13 - 1) / √(510 / 18).
  ['rises', [1, 2, 4, 3, 5, 6], 2.254],
  ['falls', [6, 5, 3, 4, 2, 1], -2.254],
  // Two ties of two take 18 each from the 510.
  ['has ties', [1, 1, 2, 2, 3, 4], (13 - 1) / Math.sqrt((510 - 36) / 18)],
  ['is all the same', [2, 2, 2, 2], 0],
  ['is nothing', [], 0],
])('a series that %s', (_, values, trend) => {
  expect(trendOf(values)).toBeCloseTo(trend, 3);
});
