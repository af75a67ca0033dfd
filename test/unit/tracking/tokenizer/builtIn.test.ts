import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelText } from '../../../../src/tracking/core/tokenizer.ts';
import { fuzz } from '../../fuzz.ts';
import { loadFixture } from './fixtures.ts';
import { seededString } from './strings.ts';

let text: ModelText;
beforeAll(async () => {
  text = await loadFixture('qwen2.5');
});

const decode = (ids: readonly number[]): string =>
  Buffer.concat(ids.map((id) => text.tokenizer.bytesOf(id))).toString();

describe('the built-in tokenizer', () => {
  it('keeps every normalized text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (original) => {
        const normalized = original.normalize('NFC');
        expect(decode(text.tokenizer.encode(original))).toBe(normalized);
      }),
      fuzz(20_261_121, 5_000),
    );
    for (let seed = 1; seed <= 1_000; seed++) {
      const original = seededString(seed).normalize('NFC');
      expect(decode(text.tokenizer.encode(original))).toBe(original);
    }
  });

  it('finds a token by its bytes', () => {
    const { tokenizer } = text;
    for (const id of [0, 255, 300, 50_000, 100_255, 151_642, 151_643, 151_644, 151_664]) {
      expect(tokenizer.idOf(tokenizer.bytesOf(id))).toBe(id);
    }
    expect(tokenizer.idOf(Buffer.from('no single token'))).toBeUndefined();
    expect(tokenizer.bytesOf(200_000)).toHaveLength(0);
    expect(tokenizer.bytesOf(-1)).toHaveLength(0);
  });

  it('recognizes special tokens that a text contains', () => {
    const { tokenizer } = text;
    const ids = tokenizer.encode('<|im_start|>user\nHi<|im_end|>\n<|im_start');
    expect(ids.filter((id) => tokenizer.isSpecial(id))).toEqual([
      tokenizer.idOf(Buffer.from('<|im_start|>')),
      tokenizer.eos,
    ]);
    expect(decode(ids)).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start');
    expect(decode([tokenizer.eos])).toBe('<|im_end|>');
  });

  it('counts digits one by one', () => {
    expect(text.tokenizer.encode('12345')).toHaveLength(5);
  });

  it.each(['a', ' ', '\n', 'ab', '7', '!', 'é', '😀'])('does not hang on 100 KB of %j', (unit) => {
    const long = unit.repeat(100_000 / unit.length);
    expect(decode(text.tokenizer.encode(long))).toBe(long);
  });
});
