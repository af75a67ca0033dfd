import { largestMerging, type TokenRun } from './protocol/mergingRpc.ts';
import type { TokenTable } from './tokenTable.ts';
import { utf8Pieces } from './utf8Pieces.ts';

/** Tokens `from` … `end` of a message, as many as one answer takes. */
export function tokenRun(tokenIds: Int32Array, from: number, end: number, table: TokenTable): TokenRun {
  const shown = Math.min(end, from + largestMerging.tokens);
  const ids = [...tokenIds.subarray(from, shown)];
  return { from, ids, texts: utf8Pieces(ids.map((id) => table.at(id).bytes)), more: shown < end };
}
