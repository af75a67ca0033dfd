import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { encode as packageEncode } from 'gpt-tokenizer/encoding/cl100k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { embeddedRanksFile, loadEmbeddedText } from '../../../src/node/tokenizer/embedded.ts';
import { RankTable } from '../../../src/tracking/tokenizer/bytePairs.ts';
import { BytePairTokenizer } from '../../../src/tracking/tokenizer/embedded.ts';
import type { ModelText } from '../../../src/tracking/tokenizer.ts';
import { fuzz } from '../fuzz.ts';
import { noon } from './fixtures.ts';
import { seededString } from './strings.ts';

let text: ModelText;
beforeAll(async () => {
  text = await loadEmbeddedText(noon);
});

const decode = (ids: readonly number[]): string =>
  Buffer.concat(ids.map((id) => text.tokenizer.bytesOf(id))).toString();

describe('the embedded tokenizer', () => {
  it('says that it stands in', () => {
    expect(text.note).toEqual({ name: 'embedded', exact: false, file: null });
  });

  it('merges as the package does whose ranks it has', () => {
    const cl100k =
      /'(?:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+/giu;
    const tokenizer = new BytePairTokenizer(new RankTable(readFileSync(embeddedRanksFile)), cl100k);
    for (let seed = 1; seed <= fuzz(0, 20_000).numRuns; seed++) {
      // Cut where the two read white space and contractions differently, and without special tokens.
      for (const piece of seededString(seed).match(/[\p{L}\p{M}]+|[^\s\p{L}\p{M}\p{N}<|]+/gu) ?? []) {
        expect(tokenizer.encode(piece), JSON.stringify(piece)).toEqual(packageEncode(piece));
      }
    }
  });

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (original) => {
        expect(decode(text.tokenizer.encode(original))).toBe(original);
      }),
      fuzz(20_261_121, 5_000),
    );
    for (let seed = 1; seed <= 1_000; seed++) {
      expect(decode(text.tokenizer.encode(seededString(seed)))).toBe(seededString(seed));
    }
  });

  it('knows a token by its bytes', () => {
    const { tokenizer } = text;
    for (const id of [0, 255, 300, 50_000, 100_255, 100_256, 100_257, 100_258]) {
      expect(tokenizer.idOf(tokenizer.bytesOf(id))).toBe(id);
    }
    expect(tokenizer.idOf(Buffer.from('no single token'))).toBeUndefined();
    expect(tokenizer.bytesOf(200_000)).toHaveLength(0);
    expect(tokenizer.bytesOf(-1)).toHaveLength(0);
  });

  it('takes special tokens written in a text for what they are', () => {
    const { tokenizer } = text;
    const ids = tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n<|im_start');
    expect(ids.filter((id) => tokenizer.isSpecial(id))).toEqual([
      tokenizer.idOf(Buffer.from('<|im_start|>')),
      tokenizer.eos,
    ]);
    expect(decode(ids)).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start');
    expect(decode([tokenizer.eos])).toBe('<|im_end|>');
  });

  it('counts digits one by one, as Qwen does', () => {
    expect(text.tokenizer.encode('12345')).toHaveLength(5);
  });

  it.each(['a', ' ', '\n', 'ab', '7', '!', 'é', '😀'])('does not hang on 100 KB of %j', (unit) => {
    const long = unit.repeat(100_000 / unit.length);
    expect(decode(text.tokenizer.encode(long))).toBe(long);
  });

  it('refuses a table that is cut off', () => {
    expect(() => new RankTable(readFileSync(embeddedRanksFile).subarray(0, 500_000))).toThrow(RangeError);
  });
});

describe('the ranks', () => {
  it('are those of the package', async () => {
    const { encodeRanks } = await import('../../tools/vectors/ranks.mjs');
    expect(readFileSync(embeddedRanksFile).equals(encodeRanks())).toBe(true);
  });

  it('are small', () => {
    expect(readFileSync(embeddedRanksFile).byteLength).toBeLessThan(800_000);
  });
});
