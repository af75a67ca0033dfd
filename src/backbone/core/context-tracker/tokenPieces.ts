import { utf8Pieces } from '../../../traces/core/tokenTable.ts';
import type { Tokenizer } from '../../../tracking/core/tokenizer.ts';
import { splitTokens, type SplitTokens } from '../model-tuner/built-in/tokens.ts';

/** Splits texts with the tokenizer of training; by {@link splitTokens} those that it cannot reproduce. */
export function tokenPieces(tokenizer: Tokenizer): SplitTokens {
  return (text) => {
    const tokens = tokenizer.encode(text).map((id) => tokenizer.bytesOf(id));
    const texts = utf8Pieces(tokens);
    if (texts.join('') !== text) return splitTokens(text);
    return tokens.map((bytes, at) => ({ text: texts[at] ?? '', bytes: [...bytes] }));
  };
}
