import { describe, expect, it } from 'vitest';
import { lineAfter, type Replacement } from '../../../../src/traces/editor/trackedLines.ts';

function replacement(
  from: readonly [number, number],
  to: readonly [number, number],
  text: string,
): Replacement {
  const [start, end] = [from, to].map(([line, character]) => ({ line, character }));
  if (start === undefined || end === undefined) throw new Error('two positions');
  return { range: { start, end }, text };
}

describe('where a line goes by an edit', () => {
  it.each<[string, Replacement, number | undefined]>([
    ['typing in it', replacement([5, 3], [5, 3], 'x'), undefined],
    ['typing at its start', replacement([5, 0], [5, 0], 'x'), undefined],
    ['deleting what it ends with', replacement([5, 9], [6, 0], ''), undefined],
    ['replacing it with others', replacement([4, 0], [6, 0], 'a\n'), undefined],
    ['joining it to the line above', replacement([4, 8], [5, 0], ''), undefined],
    ['typing above', replacement([4, 3], [4, 3], 'x'), 5],
    ['a new line above', replacement([4, 8], [4, 8], '\n  x'), 6],
    ['lines inserted right before it', replacement([5, 0], [5, 0], 'a\nb\n'), 7],
    ['the line above deleted', replacement([4, 0], [5, 0], ''), 4],
    ['several lines above replaced by one', replacement([1, 0], [3, 2], 'x'), 3],
    ['anything below', replacement([6, 0], [8, 0], 'a\nb\nc\nd\n'), 5],
  ])('%s', (_, edit, expected) => {
    expect(lineAfter(5, [edit])).toBe(expected);
  });

  it('of several replacements each counts, whatever their order', () => {
    const edits = [
      replacement([9, 0], [9, 1], ''),
      replacement([3, 0], [3, 0], 'a\n'),
      replacement([0, 0], [1, 0], ''),
    ];
    expect(lineAfter(5, edits)).toBe(5);
    expect(lineAfter(5, edits.toReversed())).toBe(5);
    expect(lineAfter(9, edits)).toBeUndefined();
  });
});
