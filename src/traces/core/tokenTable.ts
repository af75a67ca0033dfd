import type { TracedToken } from '../../tracking/core/records/trace.ts';
import type { TraceQueries } from './traceQueries.ts';
import { largestMerging, type TokenRun } from './protocol/mergingRpc.ts';

/**
 * Decodes UTF-8 bytes that arrive in pieces, and returns one text per piece. A character that spans pieces is in the
 * last of them. Invalid bytes become U+FFFD, one for each longest beginning of a character, like in `TextDecoder`, in
 * the piece that ends it.
 */
export function utf8Pieces(pieces: readonly Uint8Array[]): string[] {
  const texts = pieces.map(() => '');
  const { all, starts } = joined(pieces);
  let [end, piece] = [0, 0];
  for (const character of decoder.decode(all)) {
    end += character === replacement ? replacedBytes(all, end) : utf8Length(character);
    while ((starts[piece + 1] ?? Infinity) < end) piece += 1;
    texts[piece] = `${texts[piece] ?? ''}${character}`;
  }
  return texts;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const replacement = '\ufffd';

/** Returns the number of bytes that a U+FFFD stands for: its own three, or the longest invalid beginning. */
function replacedBytes(bytes: Uint8Array, start: number): number {
  const isOne = (length: number): boolean =>
    decoder.decode(bytes.subarray(start, start + length)) === replacement;
  return isOne(3) ? Math.min(3, bytes.length - start) : isOne(2) ? 2 : 1;
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Returns all bytes of consecutive pieces, and the offset at which each piece starts. */
export function joined(pieces: readonly Uint8Array[]): {
  readonly all: Uint8Array;
  readonly starts: readonly number[];
} {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  const starts = pieces.map((piece) => {
    all.set(piece, length);
    length += piece.length;
    return length - piece.length;
  });
  return { all, starts };
}

/** The maximum number of bytes of a character after the end of a piece. */
export const longestRest = 3;

export type TokenText = Omit<TracedToken, 'id'>;

const unknown: TokenText = { bytes: new Uint8Array(), special: false };

/** Looks up texts of token ids, and caches them, because they never change. */
export class TokenTable {
  readonly #trace: TraceQueries;
  readonly #known = new Map<number, TokenText>();

  constructor(trace: TraceQueries) {
    this.#trace = trace;
  }

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
