import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, difference, LineMap } from '../../../src/configs/core/text.ts';
import { fuzz } from '../fuzz.ts';

describe('LineMap', () => {
  it('counts every kind of line end', () => {
    const lines = new LineMap('a\nbc\r\nd\re');
    expect(lines.count).toBe(4);
    expect(lines.position(3)).toEqual({ line: 1, character: 1, offset: 3 });
    expect(lines.line(1)).toEqual({ start: 2, end: 4 });
    expect(lines.after(1)).toBe(6);
    expect(lines.line(9)).toEqual({ start: 9, end: 9 });
    expect(lines.location('/f', 8)).toEqual({ file: '/f', line: 4, column: 1 });
  });

  it('finds the line of every offset', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', '\r', '\r\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (written) => {
        const lines = new LineMap(written);
        const ends = [...written.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length);
        for (let offset = 0; offset <= written.length; offset++) {
          const { line, character } = lines.position(offset);
          expect(line).toBe(ends.filter((end) => end <= offset).length);
          expect(lines.line(line).start + character).toBe(offset);
        }
      }),
      fuzz(11, 1000),
    );
  });
});

describe('applyEdits', () => {
  it('applies all, wherever they stand', () => {
    const edits = [
      { span: { start: 0, end: 1 }, newText: 'xx' },
      { span: { start: 2, end: 2 }, newText: '-' },
    ];
    expect(applyEdits('abc', edits)).toBe('xxb-c');
  });
});

describe('difference', () => {
  it.each([
    ['aab', 'aaab', { span: { start: 2, end: 2 }, newText: 'a' }],
    ['abc', 'abc', { span: { start: 3, end: 3 }, newText: '' }],
    ['abcabc', 'abc', { span: { start: 3, end: 6 }, newText: '' }],
  ])('finds the single edit from %j to %j', (before, after, edit) => {
    expect(difference(before, after)).toEqual(edit);
  });
});
