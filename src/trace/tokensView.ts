import type { TokensView } from '../protocol/traceRpc.ts';
import type { MessageLookup } from './episodeContent.ts';
import type { StoredTokens } from './stored.ts';
import type { TokenTable, TokenText } from './tokenTable.ts';
import { longestRest, utf8Pieces } from './utf8Pieces.ts';

/** A part of a message's tokens. */
interface Slice {
  /** Position of the message in the timeline. */
  readonly message: number;
  readonly stored: StoredTokens;
  readonly start: number;
  readonly end: number;
}

/**
 * Tokens `from` … `from + limit` of a timeline. Only messages in that window are read.
 *
 * @param positions the timeline's messages
 */
export function tokensView(
  positions: readonly number[],
  messages: MessageLookup,
  table: TokenTable,
  { from, limit }: { readonly from: number; readonly limit: number },
): TokensView {
  const { slices, total } = slicesOf(positions, messages, from, from + limit);
  const texts = slices.flatMap((slice) => textsOf(slice, table));
  return {
    from,
    total,
    ids: slices.flatMap(({ stored, start, end }) => [...stored.tokenIds.subarray(start, end)]),
    texts: texts.map(({ text }) => text),
    special: texts.map(({ special }) => special),
    lossMask: slices.flatMap(lossMaskOf),
    logprobs: slices.flatMap(logprobsOf),
    messages: slices.flatMap(({ message, start, end }) => Array<number>(end - start).fill(message)),
  };
}

function slicesOf(
  positions: readonly number[],
  messages: MessageLookup,
  from: number,
  to: number,
): { readonly slices: readonly Slice[]; readonly total: number } {
  const slices: Slice[] = [];
  let first = 0;
  positions.forEach((position, message) => {
    const { tokens } = messages.head(position);
    const start = Math.max(0, from - first);
    const end = Math.min(tokens, to - first);
    if (start < end) slices.push({ message, stored: messages.tokens(position), start, end });
    first += tokens;
  });
  return { slices, total: first };
}

/** A character never reaches beyond its message. */
function textsOf(
  { stored, start, end }: Slice,
  table: TokenTable,
): readonly { readonly text: string; readonly special: boolean }[] {
  const tokenAt = (index: number): TokenText => table.at(stored.tokenIds[index] ?? -1);
  const begin = bytesAway(start, -1, (index) => (index < 0 ? undefined : tokenAt(index)));
  const finish = bytesAway(end - 1, 1, (index) =>
    index < stored.tokenIds.length ? tokenAt(index) : undefined,
  );
  const tokens = Array.from({ length: finish - begin + 1 }, (_, index) => tokenAt(begin + index));
  const texts = utf8Pieces(tokens.map(({ bytes }) => bytes));
  return tokens
    .map(({ special }, index) => ({ text: texts[index] ?? '', special }))
    .slice(start - begin, end - begin);
}

/** The token as many bytes before or behind one as a character that ends or begins in it may reach. */
function bytesAway(index: number, step: 1 | -1, tokenAt: (index: number) => TokenText | undefined): number {
  let at = index;
  for (let bytes = 0; bytes < longestRest; at += step) {
    const next = tokenAt(at + step);
    if (next === undefined) break;
    bytes += next.bytes.length;
  }
  return at;
}

function lossMaskOf({ stored, start, end }: Slice): (0 | 1)[] {
  return Array.from(stored.lossMask.subarray(start, end), (counts) => (counts === 0 ? 0 : 1));
}

function logprobsOf({ stored, start, end }: Slice): (number | null)[] {
  const { logprobs } = stored;
  if (logprobs === null) return Array<null>(end - start).fill(null);
  return Array.from(logprobs.subarray(start, end), (value) => (Number.isNaN(value) ? null : value));
}
