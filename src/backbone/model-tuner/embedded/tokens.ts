/** A token of a text. Where a character takes several, `text` has it with the last of them. */
export interface TokenPiece {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: readonly number[];
}

/** Joined, the pieces are the text again. */
export type SplitTokens = (text: string) => readonly TokenPiece[];

/**
 * Cuts a text into pieces about the size of an LLM's tokens: words up to seven letters with the space before them,
 * up to three digits, single signs, runs of white space. Counts made with it are approximate: no model's tokenizer is
 * used here.
 */
export const splitTokens: SplitTokens = (text) => {
  const pieces = text.match(/ ?[\p{L}\p{M}]{1,7}|\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]|\s+/gu) ?? [];
  return pieces.map(pieceOf);
};

export function pieceOf(text: string): TokenPiece {
  return { text, bytes: utf8(text) };
}

/** The bytes of a text in UTF-8. */
function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    let code = character.codePointAt(0) ?? 0xfffd;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd; // a lone surrogate has no UTF-8 form
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code, 0));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code, 6), tail(code, 0));
    else bytes.push(0xf0 | (code >> 18), tail(code, 12), tail(code, 6), tail(code, 0));
  }
  return bytes;
}

function tail(code: number, shift: number): number {
  return 0x80 | ((code >> shift) & 0x3f);
}
