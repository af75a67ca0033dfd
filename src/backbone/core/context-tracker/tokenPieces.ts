import { utf8Pieces } from '../../../traces/core/utf8Pieces.ts';
import type { Tokenizer } from '../../../tracking/core/tokenizer.ts';
import { splitTokens, type SplitTokens } from '../model-tuner/built-in/tokens.ts';

/**
 * Cuts texts as the tokenizer does, so that what a stand-in for the model tells of its tokens is about those of
 * training. A text that the tokenizer does not give back as it was is cut in the stand-in's own way.
 */
export function tokenPieces(tokenizer: Tokenizer): SplitTokens {
  return (text) => {
    const tokens = tokenizer.encode(text).map((id) => tokenizer.bytesOf(id));
    const texts = utf8Pieces(tokens);
    if (texts.join('') !== text) return splitTokens(text);
    return tokens.map((bytes, at) => ({ text: texts[at] ?? '', bytes: [...bytes] }));
  };
}
