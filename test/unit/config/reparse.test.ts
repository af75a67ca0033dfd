import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeAt } from '../../../src/config/node.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { difference, reparse } from '../../../src/config/parse/reparse.ts';
import type { LineMap } from '../../../src/config/text.ts';
import { fuzz } from '../fuzz.ts';
import { realTexts, snippets, wholeConfig } from './configTexts.ts';

const awkward = `# head
top: 1

section:
  # of the section
  a: plain text
    that goes on
  b: |
    block

    text
  # less

  c:
    deep: {x: 1, y: [2,
      3]}
    empty:
    list:
    - one
    - two: 2
      three:
        four: 4
        five: >-
          folded

      six: '6'
    -
      late: 1
  # after
  a: again
  tagged: !!int x
  d:   # nothing
# between
other: "quoted
  twice"
keep: |+
  end

last:
  - x
  - y: !!str 1
  # trailing
`;

const texts = [
  awkward,
  awkward.replaceAll('\n', '\r\n'),
  wholeConfig.replaceAll(/[&*]base/g, 'base'),
  wholeConfig,
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 60 })),
  insert: fc.oneof(
    fc.constantFrom(
      ...snippets,
      'key',
      'key: ',
      '\n  key',
      '\n    key: 1',
      ' ',
      '\n',
      '  # c\n',
      '\r',
      '- a: 1\n',
      'a',
    ),
    fc.string({ maxLength: 2 }),
    fc.constant(''),
  ),
});

function edited(
  text: string,
  { at, length, insert }: { at: number; length: number; insert: string },
): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + insert + text.slice(start + length);
}

/** What a line map says, as far as it can be asked. */
function linesOf({ lines, text }: { lines: LineMap; text: string }): unknown {
  return Array.from({ length: lines.count + 1 }, (_, line) => [
    lines.line(line),
    lines.after(line),
    text.length,
  ]);
}

/** The quick comparison first: there are many, and most are equal. */
function expectEqual(given: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(given, wanted)) expect(given).toEqual(wanted);
}

describe('reparse', () => {
  it.each([
    ['written texts', 20260301, texts],
    ['real texts', 20260302, realTexts.length > 0 ? realTexts : texts],
  ])('gives what parsing the whole text gives, edit after edit: %s', (_, seed, sources) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (source, edits) => {
          let document = parseConfig(source);
          for (const change of edits) {
            const text = edited(document.text, change);
            document = reparse(document, text);
            const whole = parseConfig(text);
            expectEqual(document.root, whole.root);
            expectEqual(document.problems, whole.problems);
            expectEqual(linesOf(document), linesOf(whole));
          }
        },
      ),
      fuzz(seed, 4_000),
    );
  });

  it('leaves what stands before the edit as it is', () => {
    const before = parseConfig(awkward);
    const after = reparse(before, awkward.replace('four: 4', 'four: 44'));
    expect(nodeAt(after.root, ['section', 'b'])).toBe(nodeAt(before.root, ['section', 'b']));
    expect(nodeAt(after.root, ['section', 'c', 'list', 1, 'three', 'four'])).toMatchObject({ value: 44 });
  });

  it('finds the one stretch in which texts differ', () => {
    expect(difference('aab', 'aaab')).toEqual({ span: { start: 2, end: 2 }, newText: 'a' });
    expect(difference('abc', 'abc')).toEqual({ span: { start: 3, end: 3 }, newText: '' });
    const long = 'ab'.repeat(2_000);
    const inside = `${long.slice(0, 1_999)}x${long.slice(1_999)}`;
    expect(difference(long, inside)).toEqual({ span: { start: 1_999, end: 1_999 }, newText: 'x' });
    expect(difference('abcabc', 'abc')).toEqual({ span: { start: 3, end: 6 }, newText: '' });
  });
});
