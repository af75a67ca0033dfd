import type { Tokenizer } from '../../tracking/tokenizer.ts';
import { utf8 } from '../../tracking/tokenizer/bytes.ts';
import { splitTokens, type SplitTokens, type TokenPiece } from '../model-tuner/embedded/tokens.ts';

/**
 * Cuts texts as the tokenizer does, so that what a stand-in for the model tells of its tokens is about those of
 * training. A text that the tokenizer normalises is cut in the stand-in's own way.
 */
export function tokenPieces(tokenizer: Tokenizer): SplitTokens {
  return (text) => {
    const tokens = tokenizer.encode(text).map((id) => tokenizer.bytesOf(id));
    return spell(utf8(text), tokens) ? cutByBytes(text, tokens) : splitTokens(text);
  };
}

function spell(bytes: Uint8Array, tokens: readonly Uint8Array[]): boolean {
  let at = 0;
  const fit = tokens.every((token) => token.every((byte) => byte === bytes[at++]));
  return fit && at === bytes.length;
}

/** A character that several tokens spell belongs to the last of them. */
function cutByBytes(text: string, tokens: readonly Uint8Array[]): TokenPiece[] {
  const characters = text[Symbol.iterator]();
  let character = '';
  let missing = 0;
  return tokens.map((token) => {
    let piece = '';
    for (let left = token.length; left > 0;) {
      if (missing === 0) {
        character = characters.next().value ?? '';
        missing = utf8(character).length;
      }
      const taken = Math.min(left, missing);
      left -= taken;
      missing -= taken;
      if (missing === 0) piece += character;
    }
    return { text: piece, bytes: [...token] };
  });
}
