import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../../../src/base/core/canonicalJson.ts';
import {
  entriesPerRequest,
  packLimits,
  type SnapshotEntry,
} from '../../../../../src/training/core/protocol/hostRpc.ts';
import {
  checkManifest,
  manifestPages,
  manifestText,
  packHeader,
  PackReader,
} from '../../../../../src/training/core/sync/manifest.ts';
import { fuzz } from '../../../fuzz.ts';

const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('packs', () => {
  test('what goes in comes out, however it is cut', () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 8 });
    fc.assert(
      fc.property(contents, fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1 }), (sent, cuts) => {
        const pack = Buffer.concat(sent.flatMap((bytes) => [packHeader(sumOf(bytes), bytes.length), bytes]));
        const reader = new PackReader();
        const got = [];
        let at = 0;
        for (let cut = 0; at < pack.length; cut++) {
          // However many cuts of nothing there are, the pack is gone through.
          const to = at + (cuts[cut % cuts.length] ?? 0) + (cut % cuts.length === 0 ? 1 : 0);
          got.push(...reader.push(pack.subarray(at, to)));
          at = to;
        }
        reader.end();
        expect(got.map(({ bytes }) => Buffer.from(bytes))).toEqual(sent.map((bytes) => Buffer.from(bytes)));
        expect(got.map(({ sha256 }) => sha256)).toEqual(sent.map(sumOf));
      }),
      fuzz(4, 3_000),
    );
  });

  test('one that ends too early is none', () => {
    const bytes = Buffer.from('content');
    const pack = Buffer.concat([packHeader(sumOf(bytes), bytes.length), bytes]);
    for (let end = 1; end < pack.length; end++) {
      const reader = new PackReader();
      reader.push(pack.subarray(0, end));
      expect(() => reader.end()).toThrow('it ends in the middle of a file');
    }
  });

  test('a content that belongs into a transfer of its own is refused before it is held', () => {
    const reader = new PackReader();
    expect(() => reader.push(packHeader('0'.repeat(64), packLimits.content + 1))).toThrow('has more than');
  });
});

const file = (path: string): SnapshotEntry => ({ path, sha256: 'a'.repeat(64), bytes: 3 });

describe('manifests', () => {
  test('the text is the canonical one', () => {
    const name = fc.string({ unit: 'binary', maxLength: 5 });
    const entry = fc.oneof(
      fc.record({ path: name, link: name }),
      fc.record({ path: name, sha256: fc.constant('ab'.repeat(32)), bytes: fc.nat() }),
      fc.record({
        path: name,
        sha256: fc.constant('cd'.repeat(32)),
        bytes: fc.nat(),
        executable: fc.constant(true as const),
      }),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (manifest) => {
        expect(manifestText(manifest)).toBe(canonicalJson(manifest));
      }),
      fuzz(5, 1_000),
    );
  });

  test('what is out of order or out of the jail is refused', () => {
    expect(() => checkManifest([file('b'), file('a')])).toThrow('it is not sorted by path');
    expect(() => checkManifest([file('a'), file('../b')])).toThrow('it has the name ..');
    expect(() => checkManifest([file('a'), file('a/b')])).toThrow('is not a folder');
    expect(() => checkManifest([file('A'), file('B'), file('a')])).toThrow('case or accents');
    checkManifest([file('a'), file('a-b'), file('b/c'), { path: 'c', link: 'b/c' }]);
  });

  test('pages hold every entry once, and fit into a message', () => {
    const long = Array.from({ length: entriesPerRequest + 500 }, (_, at) =>
      file(`${String(at).padStart(5, '0')}${'"'.repeat(1_000)}`),
    );
    const pages = manifestPages(long);
    expect(pages.flatMap(({ entries }) => entries)).toEqual(long);
    for (const { from, entries } of pages) {
      expect(entries[0]).toBe(long[from]);
      expect(entries.length).toBeLessThanOrEqual(entriesPerRequest);
      expect(JSON.stringify(entries).length).toBeLessThan(3 * 1024 * 1024);
    }
    expect(manifestPages([])).toEqual([{ from: 0, entries: [] }]);
    expect(manifestPages(long.slice(0, 3)).map(({ from }) => from)).toEqual([0]);
  });
});
