import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenPieces } from '../../../src/backbone/core/context-tracker/tokenPieces.ts';
import type { Tokenizer } from '../../../src/tracking/core/tokenizer.ts';

/** One token for every `size` bytes, wherever characters end. */
function byBytes(size: number): Tokenizer {
  const tokens: Uint8Array[] = [];
  return {
    encode: (text) => {
      const bytes = new TextEncoder().encode(text);
      const count = Math.ceil(bytes.length / size);
      return Array.from(
        { length: count },
        (_, at) => tokens.push(bytes.slice(at * size, (at + 1) * size)) - 1,
      );
    },
    bytesOf: (id) => tokens[id] ?? new Uint8Array(),
    idOf: () => undefined,
    isSpecial: () => false,
    eos: 0,
  };
}

describe('tokenPieces', () => {
  it('gives a character to the last of the tokens that spell it', () => {
    expect(tokenPieces(byBytes(3))('a😀b')).toEqual([
      { text: 'a', bytes: [0x61, 0xf0, 0x9f] },
      { text: '😀b', bytes: [0x98, 0x80, 0x62] },
    ]);
  });

  it('loses nothing of any text', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (whole, size) => {
        const pieces = tokenPieces(byBytes(size))(whole);
        expect(pieces.map((piece) => piece.text).join('')).toBe(whole);
        expect(pieces.flatMap(({ bytes }) => bytes)).toEqual([...new TextEncoder().encode(whole)]);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('leaves a text whole that the tokenizer would change', () => {
    const lowering: Tokenizer = { ...byBytes(2) };
    const encode = (text: string): number[] => lowering.encode(text.toLowerCase());
    const pieces = tokenPieces({ ...lowering, encode })('ABCD EFGHIJKL');
    expect(pieces.map((piece) => piece.text).join('')).toBe('ABCD EFGHIJKL');
  });
});
