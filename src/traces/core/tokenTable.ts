import type { TraceQueries } from './traceQueries.ts';
import { largestMerging, type TokenRun } from './protocol/mergingRpc.ts';

/**
 * Decodes UTF-8 bytes that arrive in pieces, and returns one text per piece. A character that spans pieces is in the
 * last of them. Invalid bytes become U+FFFD, one for each longest beginning of a character, like in `TextDecoder`, in
 * the piece that ends it.
 */
export function utf8Pieces(pieces: readonly Uint8Array[]): string[] {
  const texts: string[] = [];
  const decoder = new PieceDecoder(texts);
  for (const piece of pieces) {
    texts.push('');
    for (const byte of piece) decoder.push(byte);
  }
  decoder.end();
  return texts;
}

/** The maximum number of bytes of a character after the end of a piece. */
export const longestRest = 3;

const replacement = '\ufffd';

class PieceDecoder {
  readonly #texts: string[];
  /** The bits of the current character so far. */
  #code = 0;
  #missing = 0;
  /** The range of the next byte. */
  #lowest = 0x80;
  #highest = 0xbf;
  /** The piece with the last byte of the current character. */
  #piece = 0;

  /** @param texts the last one belongs to the piece whose bytes are pushed */
  constructor(texts: string[]) {
    this.#texts = texts;
  }

  push(byte: number): void {
    if (this.#missing > 0 && (byte < this.#lowest || byte > this.#highest)) this.end();
    this.#piece = this.#texts.length - 1;
    if (this.#missing === 0) this.#begin(byte);
    else this.#goOn(byte);
  }

  /** Ends the input. An incomplete character is invalid. */
  end(): void {
    if (this.#missing > 0) this.#write(replacement);
    this.#missing = 0;
    [this.#lowest, this.#highest] = [0x80, 0xbf];
  }

  #begin(byte: number): void {
    if (byte < 0xc2 || byte > 0xf4) {
      this.#write(byte < 0x80 ? String.fromCharCode(byte) : replacement);
      return;
    }
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#code = byte & (0x3f >> this.#missing);
    // Rejects overlong forms, surrogates and code points above U+10FFFF.
    if (byte === 0xe0) this.#lowest = 0xa0;
    if (byte === 0xed) this.#highest = 0x9f;
    if (byte === 0xf0) this.#lowest = 0x90;
    if (byte === 0xf4) this.#highest = 0x8f;
  }

  #goOn(byte: number): void {
    this.#code = (this.#code << 6) | (byte & 0x3f);
    this.#missing -= 1;
    [this.#lowest, this.#highest] = [0x80, 0xbf];
    if (this.#missing === 0) this.#write(String.fromCodePoint(this.#code));
  }

  #write(text: string): void {
    this.#texts[this.#piece] = `${this.#texts[this.#piece] ?? ''}${text}`;
  }
}

export interface TokenText {
  readonly bytes: Uint8Array;
  readonly special: boolean;
}

const unknown: TokenText = { bytes: new Uint8Array(), special: false };

/** Looks up texts of token ids, and caches them, because they never change. */
export class TokenTable {
  readonly #trace: TraceQueries;
  readonly #known = new Map<number, TokenText>();

  constructor(trace: TraceQueries) {
    this.#trace = trace;
  }

  /** Returns a token, without bytes if the trace does not have it. */
  at(id: number): TokenText {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const stored = this.#trace.token(id);
    if (stored !== undefined) this.#known.set(id, stored);
    return stored ?? unknown;
  }
}

/** Returns tokens `from` … `end` of a message, as many as one response may have. */
export function tokenRun(tokenIds: Int32Array, from: number, end: number, table: TokenTable): TokenRun {
  const shown = Math.min(end, from + largestMerging.tokens);
  const ids = [...tokenIds.subarray(from, shown)];
  return { from, ids, texts: utf8Pieces(ids.map((id) => table.at(id).bytes)), more: shown < end };
}
