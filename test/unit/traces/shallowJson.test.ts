import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shallowJson } from '../../../src/traces/core/shallowJson.ts';
import { fuzz } from '../fuzz.ts';

it('is what JSON is', () => {
  const property = fc.property(fc.oneof(fc.json({ maxDepth: 6 }), fc.string()), (text) => {
    let expected: unknown;
    try {
      expected = JSON.parse(text);
    } catch {
      expected = undefined;
    }
    expect(shallowJson(text)).toEqual(expected);
  });
  fc.assert(property, fuzz(17, 5_000));
});

it('is nothing where it is nested too deeply, whatever stands in its texts', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}{"a":1}${']'.repeat(depth)}`;
  expect(shallowJson(nested(499))).toBeDefined();
  expect(shallowJson(nested(500))).toBeUndefined();
  expect(shallowJson(nested(100_000))).toBeUndefined();
  const brackets = JSON.stringify({ text: `${'['.repeat(2_000)}"\\"{`.repeat(3) });
  expect(shallowJson(brackets)).toEqual(JSON.parse(brackets));
});
