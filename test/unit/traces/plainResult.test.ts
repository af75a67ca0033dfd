import fc from 'fast-check';
import { expect, test } from 'vitest';
import { episodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import { isPlainResult } from '../../../src/traces/core/traceQueries.ts';
import { fuzz } from '../fuzz.ts';
import { aResult } from './samples.ts';

const plain = aResult(3, { metrics: { steps: 4 }, scoredBy: 'judge', successGiven: true });

test('a result as most are is one', () => {
  expect(isPlainResult(plain)).toBe(true);
  expect(isPlainResult(aResult(1))).toBe(true);
});

test('what is taken is what the schema takes, and as it gives it', () => {
  const paths = [
    ...Object.keys(plain),
    'unknown',
    '__proto__',
    'tracking.tokens',
    'tracking.problems',
    'tracking.x',
  ];
  const change = fc.tuple(fc.constantFrom(...paths), fc.option(fc.jsonValue(), { nil: undefined }));
  let taken = 0;
  fc.assert(
    fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
      const text = changed(changes);
      const value: unknown = JSON.parse(text);
      if (!isPlainResult(value)) return;
      taken += 1;
      expect(episodeResult.parse(JSON.parse(text))).toEqual(value);
    }),
    fuzz(7, 3_000),
  );
  expect(taken).toBeGreaterThan(20);
});

/** The plain result with some of its fields replaced, or without them, as JSON. */
function changed(changes: readonly (readonly [string, unknown])[]): string {
  const value = structuredClone(plain) as unknown as Record<string, Record<string, unknown>>;
  for (const [name, to] of changes) {
    const [outer = '', inner] = name.split('.');
    const target = inner === undefined ? value : (value['tracking'] ?? {});
    if (typeof target !== 'object') continue;
    if (to === undefined) Reflect.deleteProperty(target, inner ?? outer);
    else Object.defineProperty(target, inner ?? outer, { value: to, enumerable: true, configurable: true });
  }
  return JSON.stringify(value);
}
