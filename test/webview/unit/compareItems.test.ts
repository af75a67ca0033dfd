import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompareRow, TokensView } from '../../../src/traces/core/protocol/tokenRpc.ts';
import { align } from '../../../src/traces/core/align.ts';
import {
  blockTokens,
  compareBlocks,
  compareItems,
  differencesOf,
  pieceTokens,
  type CompareItem,
} from '../../../src/traces/webview/compare/compareItems.ts';
import { mostPages, pageTokens, TokenPages } from '../../../src/traces/webview/compare/tokenPages.ts';

/** Long enough that what is the same is left out. */
const tokens = fc
  .array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 300 })), { maxLength: 6 })
  .map((runs) => Int32Array.from(runs.flatMap(([value, length]) => Array<number>(length).fill(value))));

function rowOf(left: Int32Array, right: Int32Array): CompareRow {
  const { hunks } = align(left, right);
  return {
    kind: 'changed',
    role: 'assistant',
    left: { message: 1, firstToken: 100, tokens: left.length },
    right: { message: 2, firstToken: 5_000, tokens: right.length },
    sameText: false,
    hunks: hunks.flatMap((hunk) => [hunk.left.from, hunk.left.end, hunk.right.from, hunk.right.end]),
  };
}

describe('the pieces of a message that differs', () => {
  test('have all tokens of both sides in order, but for the gaps', () => {
    fc.assert(
      fc.property(tokens, tokens, (left, right) => {
        const items = compareItems([rowOf(left, right)]).slice(1);
        let at = { left: 100, right: 5_000 };
        for (const item of items) {
          if (item.kind === 'row') throw new Error('There is one row.');
          if (item.kind === 'gap') {
            at = { left: at.left + item.tokens, right: at.right + item.tokens };
            continue;
          }
          const isEmpty = (side: 'left' | 'right') => item[side].from === item[side].end;
          if (!isEmpty('left')) expect(item.left.from).toBe(at.left);
          if (!isEmpty('right')) expect(item.right.from).toBe(at.right);
          expect(
            Math.max(item.left.end - item.left.from, item.right.end - item.right.from),
          ).toBeLessThanOrEqual(pieceTokens);
          if (item.kind === 'same') {
            const part = left.slice(item.left.from - 100, item.left.end - 100);
            expect(part).toEqual(right.slice(item.right.from - 5_000, item.right.end - 5_000));
          }
          at = {
            left: isEmpty('left') ? at.left : item.left.end,
            right: isEmpty('right') ? at.right : item.right.end,
          };
        }
        expect(at).toEqual({ left: 100 + left.length, right: 5_000 + right.length });
      }),
      { seed: 5, numRuns: 150 },
    );
  });

  test('start a difference once for each place that differs, and for a message that one side lacks', () => {
    const row = rowOf(
      new Int32Array(300).fill(1),
      Int32Array.from({ length: 300 }, (_, at) => (at === 7 ? 2 : 1)),
    );
    const alone: CompareRow = { ...row, kind: 'left', right: null, hunks: [] };
    const same: CompareRow = { ...row, kind: 'same', hunks: [] };
    const items = compareItems([same, row, alone]);
    expect(items[0]).toMatchObject({ kind: 'row', row: { kind: 'same' } });
    const starts = items.filter((item) => item.kind === 'changed' && item.starts);
    expect(starts).toMatchObject([
      { kind: 'changed', left: { from: 107, end: 108 }, right: { from: 5_007, end: 5_008 } },
      { kind: 'changed', left: { from: 100, end: 164 }, right: { from: 0, end: 0 } },
    ]);
  });
});

describe('the blocks of a list', () => {
  test('join the pieces of a message, have them all in order, and are bounded', () => {
    fc.assert(
      fc.property(tokens, tokens, (left, right) => {
        const items = compareItems([rowOf(left, right)]);
        const blocks = compareBlocks(items);
        const apart = blocks.flatMap((block): readonly CompareItem[] =>
          block.kind === 'block' ? block.pieces : [block],
        );
        expect(apart).toEqual(items);
        for (const block of blocks) {
          if (block.kind !== 'block') continue;
          const longest = block.pieces.map((piece) =>
            Math.max(piece.left.end - piece.left.from, piece.right.end - piece.right.from),
          );
          expect(longest.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(blockTokens);
        }
      }),
      { seed: 6, numRuns: 100 },
    );
  });

  test('have a difference within its line, and each difference is one step', () => {
    const row = rowOf(
      new Int32Array(40).fill(1),
      Int32Array.from({ length: 40 }, (_, at) => (at === 7 || at === 20 ? 2 : 1)),
    );
    const blocks = compareBlocks(compareItems([row]));
    expect(blocks.map(({ kind }) => kind)).toEqual(['row', 'block']);
    expect(differencesOf(blocks)).toEqual([1, 1]);
  });
});

describe('pages of tokens', () => {
  const view = (from: number, limit: number): TokensView => {
    const all = Array.from({ length: limit }, (_, index) => from + index);
    return {
      from,
      total: 1_000_000,
      ids: all,
      texts: all.map(String),
      special: all.map(() => false),
      lossMask: all.map(() => 1),
      logprobs: all.map(() => null),
      messages: all.map(() => 0),
      authors: all.map(() => 'llm'),
      drifted: all.map(() => 0),
      entropies: all.map(() => null),
      trainer: null,
    };
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 400; turn++) await Promise.resolve();
  };

  test('are asked for once, and forgotten when many others were wanted since', async () => {
    const asked: number[] = [];
    const pages = new TokenPages(
      (from, limit) => {
        asked.push(from);
        return Promise.resolve(view(from, limit));
      },
      () => undefined,
    );
    pages.want([
      { from: 10, end: 20 },
      { from: pageTokens - 1, end: pageTokens + 1 },
      { from: 7, end: 7 },
    ]);
    await settle();
    expect(asked).toEqual([0, pageTokens]);
    expect(pages.at(pageTokens)).toMatchObject({ id: pageTokens, text: String(pageTokens), trained: true });
    pages.want([{ from: 10, end: 20 }]);
    await settle();
    expect(asked).toHaveLength(2);
    for (let page = 10; page < 10 + mostPages; page++) {
      pages.want([{ from: page * pageTokens, end: page * pageTokens + 1 }]);
      await settle();
    }
    expect(pages.at(10)).toBeUndefined();
    expect(pages.at(12 * pageTokens)).toBeDefined();
  });

  test('say why one could not be had, and ask again when told to', async () => {
    let fails = true;
    const pages = new TokenPages(
      (from, limit) => (fails ? Promise.reject(new Error('gone')) : Promise.resolve(view(from, limit))),
      () => undefined,
    );
    pages.want([{ from: 0, end: 1 }]);
    await settle();
    expect(pages.error?.message).toBe('gone');
    fails = false;
    pages.retry();
    pages.want([{ from: 0, end: 1 }]);
    await settle();
    expect([pages.error, pages.at(0)?.id]).toEqual([undefined, 0]);
  });
});
