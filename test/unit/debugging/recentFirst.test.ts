import { expect, it } from 'vitest';
import { mostRecentFirst } from '../../../src/configs/editor/choose/recentFirst.ts';

it('keeps the order of what was never used', () => {
  expect(mostRecentFirst(['a', 'b', 'c', 'd'], ['c', 'x', 'b'])).toEqual(['c', 'b', 'a', 'd']);
});
