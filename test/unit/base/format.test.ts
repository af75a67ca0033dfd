import { describe, expect, it } from 'vitest';
import { sizeText } from '../../../src/base/core/format.ts';

describe('sizeText', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [123_456, '123 kB'],
    [2_500_000_000, '2.5 GB'],
  ])('%d is %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it('has as many decimals as are wanted, where it has any', () => {
    expect([999, 2_010_000_000, 100_400_000].map((bytes) => sizeText(bytes, 2))).toEqual([
      '999 B',
      '2.01 GB',
      '100 MB',
    ]);
  });
});
