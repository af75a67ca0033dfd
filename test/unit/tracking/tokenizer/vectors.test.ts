/** Ids are those of the Python package, string by string. `test/tools/vectors/regenerate.mjs` made what is expected. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Tokenizer } from '../../../../src/tracking/core/tokenizer.ts';
import { fixtures, loadFixture } from './fixtures.ts';
import { fuzz } from '../../fuzz.ts';
import { seededString } from './strings.ts';

type FixtureName = Parameters<typeof loadFixture>[0];

function idsInFull(name: FixtureName): readonly (readonly number[])[] {
  const packed = readFileSync(path.join(fixtures, name, 'ids.json.gz'));
  return JSON.parse(gunzipSync(packed).toString()) as number[][];
}

function fingerprints(name: FixtureName): DataView {
  const bytes = readFileSync(path.join(fixtures, name, 'fingerprints.bin'));
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** FNV-1a over the ids, 32 bits each. */
function fingerprint(ids: readonly number[]): number {
  let value = 0x811c9dc5;
  for (const id of ids) value = Math.imul(value ^ id, 0x01000193) >>> 0;
  return value;
}

/** A string with the tokens that it was cut into, for a person to see what is wrong. */
function readable(seed: number, ids: readonly number[], tokenizer: Tokenizer): string {
  const tokens = ids.map((id) => Buffer.from(tokenizer.bytesOf(id)).toString());
  return `${seed}: ${JSON.stringify(seededString(seed))} -> ${JSON.stringify(tokens)}`;
}

describe.each([
  { name: 'byte-level', count: 100_000 },
  { name: 'sentence-pieces', count: 10_000 },
  { name: 'qwen2.5', count: 20_000 },
] as const)('the $name tokenizer', ({ name, count }) => {
  it('gives the ids that Python gives', async () => {
    const { tokenizer } = await loadFixture(name);
    for (const [place, expected] of idsInFull(name).entries()) {
      const ids = tokenizer.encode(seededString(place + 1));
      expect(ids, readable(place + 1, ids, tokenizer)).toEqual(expected);
    }
  });

  it('gives them for all strings, of which the normal run tries the first tenth', async () => {
    const { tokenizer } = await loadFixture(name);
    const expected = fingerprints(name);
    expect(expected.byteLength).toBe(4 * count);
    const different: string[] = [];
    for (let seed = 1; seed <= fuzz(1, count).numRuns; seed++) {
      const ids = tokenizer.encode(seededString(seed));
      if (fingerprint(ids) !== expected.getUint32(4 * (seed - 1), true)) {
        different.push(readable(seed, ids, tokenizer));
      }
    }
    expect(different).toEqual([]);
  });

  it('knows the bytes of every token, which joined are the text', async () => {
    const { tokenizer } = await loadFixture(name);
    for (let seed = 1; seed <= fuzz(1, 2_000).numRuns; seed++) {
      const text = seededString(seed).normalize('NFC');
      const ids = tokenizer.encode(text);
      const bytes = Buffer.concat(ids.map((id) => tokenizer.bytesOf(id)));
      // SentencePiece has a space before the first word.
      const expected = name === 'sentence-pieces' && text !== '' ? ` ${text}` : text;
      if (!text.includes('<')) expect(bytes.toString()).toBe(expected);
      for (const id of ids) expect(tokenizer.idOf(tokenizer.bytesOf(id))).toBe(id);
    }
  });
});
