/** A token of a text. If a character takes several tokens, only the last of them has it in `text`. */
export interface TokenPiece {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: readonly number[];
}

/** Joined, the pieces are the text again. */
export type SplitTokens = (text: string) => readonly TokenPiece[];

/** Cuts a text into pieces about the size of an LLM's tokens: letters, up to three digits, one sign, or white space. */
export const splitTokens: SplitTokens = (text) => {
  const pieces = text.match(/ ?[\p{L}\p{M}]{1,7}|\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]|\s+/gu) ?? [];
  return pieces.map(pieceOf);
};

export function pieceOf(text: string): TokenPiece {
  return { text, bytes: [...new TextEncoder().encode(text)] };
}
