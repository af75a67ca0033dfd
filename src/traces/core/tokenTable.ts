import type { TraceQueries } from './traceQueries.ts';
import { largestMerging, type TokenRun } from './protocol/mergingRpc.ts';
import { utf8Pieces } from './utf8Pieces.ts';

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
