import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonPrefixLength } from '../../../src/base/core/commonPrefix.ts';
import { align, type Alignment } from '../../../src/traces/core/align.ts';
import { fuzz } from '../fuzz.ts';

const list = (most: number, length: number): fc.Arbitrary<Int32Array> =>
  fc.array(fc.nat(most), { maxLength: length }).map((values) => Int32Array.from(values));

/** Two lists of which one is mostly the other's. */
const pair = fc.oneof(
  fc.tuple(list(3, 24), list(3, 24)),
  fc.tuple(list(9, 40), fc.array(fc.tuple(fc.nat(40), fc.nat(9)), { maxLength: 5 })).map(([left, edits]) => {
    const right = [...left];
    for (const [at, value] of edits) right.splice(at, value % 3, value);
    return [left, Int32Array.from(right)] as [Int32Array, Int32Array];
  }),
);

/** What the hunks leave over, which is to be the same on both sides. */
function kept(values: Int32Array, { hunks }: Alignment, side: 'left' | 'right'): number[] {
  return [...values].filter((_, at) => !hunks.some((hunk) => hunk[side].from <= at && at < hunk[side].end));
}

/** Length of the longest common subsequence, by the textbook's table. */
function longestCommon(left: Int32Array, right: Int32Array): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const value of left) {
    const next = [0];
    right.forEach((other, at) => {
      next.push(value === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

function expectInOrder({ hunks }: Alignment, left: Int32Array, right: Int32Array): void {
  let end = { left: 0, right: 0 };
  for (const hunk of hunks) {
    expect(hunk.left.from - end.left).toBe(hunk.right.from - end.right);
    expect(hunk.left.from).toBeGreaterThanOrEqual(end.left);
    expect(hunk.left.end - hunk.left.from + (hunk.right.end - hunk.right.from)).toBeGreaterThan(0);
    end = { left: hunk.left.end, right: hunk.right.end };
  }
  expect(left.length - end.left).toBe(right.length - end.right);
}

test('covers both sides in order, leaves the same over, and as much of it as there is', () => {
  fc.assert(
    fc.property(pair, ([left, right]) => {
      const found = align(left, right);
      expectInOrder(found, left, right);
      expect(kept(left, found, 'left')).toEqual(kept(right, found, 'right'));
      expect(kept(left, found, 'left')).toHaveLength(longestCommon(left, right));
      expect(found.coarse).toBe(false);
    }),
    fuzz(20_261_122, 2_000),
  );
});

test('of equal lists nothing differs', () => {
  fc.assert(
    fc.property(list(5, 60), (values) => {
      expect(align(values, values.slice())).toMatchObject({ hunks: [], coarse: false });
    }),
    fuzz(3, 200),
  );
});

test('the first hunk starts where the lists first differ', () => {
  fc.assert(
    fc.property(pair, ([left, right]) => {
      const at = commonPrefixLength(left, right);
      const [first] = align(left, right).hunks;
      if (at === left.length && at === right.length) expect(first).toBeUndefined();
      else expect([first?.left.from, first?.right.from]).toEqual([at, at]);
    }),
    fuzz(4, 1_000),
  );
});

test('beyond its limits it still covers both sides, and says that it is coarse', () => {
  fc.assert(
    fc.property(pair, fc.nat(6), fc.nat(60), ([left, right], edits, steps) => {
      const found = align(left, right, { edits, steps });
      expectInOrder(found, left, right);
      expect(kept(left, found, 'left')).toEqual(kept(right, found, 'right'));
      const isSmallest = kept(left, found, 'left').length === longestCommon(left, right);
      expect(isSmallest || found.coarse).toBe(true);
    }),
    fuzz(5, 1_000),
  );
  const [one, other] = [new Int32Array(20_000).fill(1), new Int32Array(20_000).fill(2)];
  expect(align(one, other)).toMatchObject({
    hunks: [{ left: { from: 0, end: 20_000 }, right: { from: 0, end: 20_000 } }],
    coarse: true,
  });
});

test('a million entries with a few differences are aligned within the limits', () => {
  const left = Int32Array.from({ length: 1_000_000 }, (_, at) => (at * 7_919) % 50_021);
  const right = left.slice();
  for (const at of [10, 500_000, 999_999]) right[at] = 60_000;
  expect(align(left, right)).toMatchObject({
    coarse: false,
    hunks: [10, 500_000, 999_999].map((at) => ({
      left: { from: at, end: at + 1 },
      right: { from: at, end: at + 1 },
    })),
  });
});
