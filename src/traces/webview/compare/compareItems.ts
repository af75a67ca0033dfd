import type { CompareRow } from '../../core/protocol/tokenRpc.ts';
import type { TokenRange } from '../detail/tokenRange.ts';

/** The maximum number of tokens in one piece of a side. */
export const pieceTokens = 64;

/** An item of a comparison's list, from top to bottom. Ranges are tokens of the timelines. */
export type CompareItem =
  | { readonly kind: 'row'; readonly row: CompareRow }
  | {
      readonly kind: 'same' | 'changed';
      readonly left: TokenRange;
      readonly right: TokenRange;
      /** True if a difference starts here. */
      readonly starts: boolean;
    }
  /** Equal tokens that are omitted. */
  | { readonly kind: 'gap'; readonly tokens: number };

/** The number of tokens that are shown around a difference. A longer gap between them is omitted. */
const context = pieceTokens;
const leastGap = 2 * pieceTokens;

export function compareItems(rows: readonly CompareRow[]): readonly CompareItem[] {
  return rows.flatMap((row): CompareItem[] => {
    const heading: CompareItem = { kind: 'row', row };
    return row.kind === 'same' ? [heading] : [heading, ...piecesOf(row)];
  });
}

export type ComparePiece = Extract<CompareItem, { kind: 'same' | 'changed' }>;

/** A row of the list: a heading, a gap, or equal and different pieces that follow each other in one line. */
export type CompareBlock =
  | Exclude<CompareItem, ComparePiece>
  | { readonly kind: 'block'; readonly pieces: readonly ComparePiece[] };

/** The maximum number of tokens of one side of a block. */
export const blockTokens = 4 * pieceTokens;

/** Joins pieces, so that a difference is marked within its line. */
export function compareBlocks(items: readonly CompareItem[]): readonly CompareBlock[] {
  const blocks: CompareBlock[] = [];
  let open: { readonly pieces: ComparePiece[]; tokens: number } | undefined;
  for (const item of items) {
    if (item.kind === 'row' || item.kind === 'gap') {
      blocks.push(item);
      open = undefined;
      continue;
    }
    const tokens = Math.max(item.left.end - item.left.from, item.right.end - item.right.from);
    if (open === undefined || open.tokens + tokens > blockTokens) {
      open = { pieces: [], tokens: 0 };
      blocks.push({ kind: 'block', pieces: open.pieces });
    }
    open.pieces.push(item);
    open.tokens += tokens;
  }
  return blocks;
}

/** Returns the block of each difference, in order. */
export function differencesOf(blocks: readonly CompareBlock[]): readonly number[] {
  return blocks.flatMap((block, index) =>
    block.kind === 'block'
      ? block.pieces.filter(({ kind, starts }) => kind === 'changed' && starts).map(() => index)
      : [],
  );
}

function piecesOf({ left, right, hunks }: CompareRow): readonly CompareItem[] {
  if (left === null || right === null) {
    const whole = (range: CompareRow['left']): TokenRange =>
      range === null ? nothing : { from: range.firstToken, end: range.firstToken + range.tokens };
    return cut('changed', whole(left), whole(right));
  }
  const items: CompareItem[] = [];
  let at = { left: left.firstToken, right: right.firstToken };
  for (let hunk = 0; hunk + 3 < hunks.length; hunk += 4) {
    const [leftFrom = 0, leftEnd = 0, rightFrom = 0, rightEnd = 0] = hunks.slice(hunk, hunk + 4);
    items.push(...sameItems(at, left.firstToken + leftFrom - at.left));
    const changed = {
      left: { from: left.firstToken + leftFrom, end: left.firstToken + leftEnd },
      right: { from: right.firstToken + rightFrom, end: right.firstToken + rightEnd },
    };
    items.push(...cut('changed', changed.left, changed.right));
    at = { left: changed.left.end, right: changed.right.end };
  }
  items.push(...sameItems(at, left.firstToken + left.tokens - at.left));
  return items;
}

const nothing: TokenRange = { from: 0, end: 0 };

/** Returns the start and the end of an equal part, and the number of tokens between. */
function sameItems(at: { readonly left: number; readonly right: number }, tokens: number): CompareItem[] {
  const part = (from: number, end: number): CompareItem[] =>
    cut('same', { from: at.left + from, end: at.left + end }, { from: at.right + from, end: at.right + end });
  if (tokens < 2 * context + leastGap) return part(0, tokens);
  return [
    ...part(0, context),
    { kind: 'gap', tokens: tokens - 2 * context },
    ...part(tokens - context, tokens),
  ];
}

function cut(kind: 'same' | 'changed', left: TokenRange, right: TokenRange): CompareItem[] {
  const longest = Math.max(left.end - left.from, right.end - right.from);
  return Array.from({ length: Math.ceil(longest / pieceTokens) }, (_, index) => {
    const piece = ({ from, end }: TokenRange): TokenRange => ({
      from: Math.min(end, from + index * pieceTokens),
      end: Math.min(end, from + (index + 1) * pieceTokens),
    });
    return { kind, left: piece(left), right: piece(right), starts: index === 0 };
  });
}
