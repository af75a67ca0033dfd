import { describe, expect, it } from 'vitest';
import { ajetKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import { findingDocs } from '../../../src/tracking/core/findingDocs.ts';
import type { FindingKind } from '../../../src/tracking/core/findingKind.ts';
import { findingKinds } from '../../../src/tracking/core/findings.ts';

const kinds: readonly (readonly [string, FindingKind])[] = Object.entries(findingKinds);

it('places notes at keys that there are', () => {
  const keys = kinds.flatMap(([, { target: place = '' }]) =>
    place.startsWith('key:') ? [place.slice(4)] : [],
  );
  expect(keys.filter((key) => ajetKeys().get(key) === undefined)).toEqual([]);
  expect(keys.length).toBeGreaterThan(10);
});

describe('the list of findings', () => {
  it('has a heading, an explanation and a way out for every finding', () => {
    const headings = [...findingDocs().matchAll(/^### (\S+)$/gm)].map(([, id]) => id);
    expect(headings.sort()).toEqual(kinds.map(([id]) => id).sort());
    const silent = kinds.filter(
      ([, { explanation, hint }]) => explanation.length < 40 || !hint.endsWith('.'),
    );
    expect(silent).toEqual([]);
  });
});
