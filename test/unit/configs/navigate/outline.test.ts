import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldingOf,
  selectionRangesAt,
  symbolsOf,
  type ConfigSymbol,
} from '../../../../src/configs/core/navigate/outline.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { fuzz } from '../../fuzz.ts';
import { atCaret } from '../caret.ts';

/** One line per symbol: its name, kind and value, and the lines it covers, from 1. */
function shown(symbols: readonly ConfigSymbol[], indent = ''): string[] {
  return symbols.flatMap(({ name, kind, detail, range, children }) => [
    `${indent}${name} ${kind}${detail === '' ? '' : ` ${detail}`} ${range.start.line + 1}-${range.end.line + 1}`,
    ...shown(children, `${indent}  `),
  ]);
}

const text = `# A config
# for tests
ajet:
  rollout:
    num_repeat: 4

  # about the model
  model:
    path: "a b"
    note: |
      first
      # second
      third
# region data
mine:
  - a
  - b: yes
    c: &mark {d: 1.5}
other: *mark
empty:
# endregion
`;

describe('symbolsOf', () => {
  it('gives the keys as they are nested', () => {
    expect(shown(symbolsOf(parseConfig(text)))).toEqual([
      'ajet section 3-13',
      '  rollout section 4-5',
      '    num_repeat number 4 5-5',
      '  model section 8-13',
      '    path text a b 9-9',
      '    note text first 10-13',
      'mine list 15-18',
      '  [1] section 17-18',
      '    b boolean true 17-17',
      '    c section 18-18',
      '      d number 1.5 18-18',
      'other section 19-19',
      'empty null 20-20',
    ]);
  });

  it('shortens long values and does not enter what `<<` brings in', () => {
    const symbols = symbolsOf(parseConfig(`a: &m {x: 1}\nb:\n  <<: *m\nc: ${'x'.repeat(500)}\n`));
    expect(symbols.map((symbol) => symbol.children.length)).toEqual([1, 0, 0]);
    expect(symbols[2]?.detail).toBe(`${'x'.repeat(79)}…`);
  });
});

describe('foldingOf', () => {
  it('folds sections, texts, comments and regions', () => {
    const folds = foldingOf(parseConfig(text)).map(
      ({ startLine, endLine, kind }) => `${startLine + 1}-${endLine + 1} ${kind ?? ''}`,
    );
    expect(folds).toEqual([
      '1-2 comment',
      '3-13 ',
      '4-5 ',
      '8-13 ',
      '10-13 ',
      '14-21 region',
      '15-18 ',
      '17-18 ',
    ]);
  });

  it('folds comments at the end, and no region that is never closed', () => {
    const folds = foldingOf(parseConfig('a: 1\n# region x\n# one\n# two'));
    expect(folds).toEqual([{ startLine: 2, endLine: 3, kind: 'comment' }]);
  });
});

describe('selectionRangesAt', () => {
  it('grows from the value to the text', () => {
    const { text: whole, offset } = atCaret('a:\n  b: [1, {c: x|y}]\n  d: 2\ne: 3\n');
    const grown = selectionRangesAt(parseConfig(whole), offset).map(({ start, end }) =>
      whole.slice(start.offset, end.offset),
    );
    expect(grown).toEqual([
      'xy',
      'c: xy',
      '{c: xy}',
      '[1, {c: xy}]',
      'b: [1, {c: xy}]',
      'b: [1, {c: xy}]\n  d: 2',
      'a:\n  b: [1, {c: xy}]\n  d: 2',
      'a:\n  b: [1, {c: xy}]\n  d: 2\ne: 3',
      whole,
    ]);
  });
});

describe('what a text is made of', () => {
  it('is told of any text: ranges hold one another', () => {
    const pieces = [
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ', ',
      '&x ',
      '*x',
      '<<: *x',
      '|',
      '# region',
      '# endregion',
      '"',
      "'",
      '${a}',
      '? ',
      '\t',
      '\r\n',
    ];
    const check = (symbols: readonly ConfigSymbol[], start: number, end: number): void => {
      for (const { range, selection, children } of symbols) {
        expect(range.start.offset).toBeGreaterThanOrEqual(start);
        expect(range.end.offset).toBeLessThanOrEqual(end);
        expect(selection.start.offset).toBeGreaterThanOrEqual(range.start.offset);
        expect(selection.end.offset).toBeLessThanOrEqual(range.end.offset);
        check(children, range.start.offset, range.end.offset);
      }
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 50 }), fc.nat(100), (chosen, at) => {
        const document = parseConfig(chosen.join(''));
        check(symbolsOf(document), 0, document.text.length);
        for (const { startLine, endLine } of foldingOf(document)) expect(endLine).toBeGreaterThan(startLine);
        const grown = selectionRangesAt(document, Math.min(at, document.text.length));
        grown.reduce((inner, outer) => {
          expect(outer.start.offset).toBeLessThanOrEqual(inner.start.offset);
          expect(outer.end.offset).toBeGreaterThanOrEqual(inner.end.offset);
          return outer;
        });
      }),
      fuzz(7103, 5000),
    );
  });
});
