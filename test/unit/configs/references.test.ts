import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFailure, parseText } from '../../../src/configs/core/interpolation/grammar.ts';
import { interpolationsIn } from '../../../src/configs/core/interpolation/references.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { fuzz } from '../fuzz.ts';

function found(text: string): unknown[] {
  return interpolationsIn(parseConfig(text)).map(({ span, path, resolver, keys }) => {
    const base = [text.slice(span.start, span.end), path?.join('/') ?? '?'];
    return [...base, resolver ?? '', keys.map((key) => text.slice(key.span.start, key.span.end)).join(' ')];
  });
}

describe('interpolations of a text', () => {
  it.each([
    ['a: ${b.c}', [['${b.c}', 'b/c', '', 'b c']]],
    [
      'a: x ${b} y ${c[0].d}',
      [
        ['${b}', 'b', '', 'b'],
        ['${c[0].d}', 'c/0/d', '', 'c 0 d'],
      ],
    ],
    ['s:\n  a: {x: "${.y}"}', [['${.y}', 's/a/y', '', 'y']]],
    ['s:\n  a:\n    - ${..y}', [['${..y}', 's/y', '', 'y']]],
    ['a: ${...y}', [['${...y}', '?', '', 'y']]],
    [
      'a: ${b.${c}}',
      [
        ['${b.${c}}', '?', '', 'b'],
        ['${c}', 'c', '', 'c'],
      ],
    ],
    [
      'a: ${oc.env:X,${b}}',
      [
        ['${oc.env:X,${b}}', '?', 'oc.env', ''],
        ['${b}', 'b', '', 'b'],
      ],
    ],
    ['a: ${oc.select:b.c,1}', [['${oc.select:b.c,1}', 'b/c', 'oc.select', '']]],
    [
      'a: "\\"${b}\\" \\t${c}"',
      [
        ['${b}', 'b', '', 'b'],
        ['${c}', 'c', '', 'c'],
      ],
    ],
    ["a: 'it''s ${b}'", [['${b}', 'b', '', 'b']]],
    [
      'a: >-\n  one ${b}\n  two ${c.d}\n',
      [
        ['${b}', 'b', '', 'b'],
        ['${c.d}', 'c/d', '', 'c d'],
      ],
    ],
    ['a: |\n    ${b}\n', [['${b}', 'b', '', 'b']]],
    ['a: &x ${b}\nc: *x\n', [['${b}', 'b', '', 'b']]],
    ['a: \\${b}', []],
    ['a: ${b', []],
    ['a: ${}', []],
  ])('are found in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});

describe('reading texts with interpolations', () => {
  const piece = fc.constantFrom(
    '${',
    '}',
    '.',
    '[',
    ']',
    ':',
    ',',
    '{',
    '\\',
    "'",
    '"',
    'a',
    'oc.env',
    ' ',
    '1',
    '$',
    'é',
    '\n',
  );

  it('ends for anything, and points into it where it fails', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const parsed = parseText(text);
        if (isFailure(parsed)) {
          expect(parsed.at).toBeGreaterThanOrEqual(0);
          expect(parsed.at).toBeLessThanOrEqual(text.length);
        } else if (!/[\\$]/.test(text)) {
          expect(parsed.filter((part) => typeof part === 'string').join('')).toBe(text);
        }
      }),
      fuzz(71, 20_000),
    );
  });

  it('takes time that grows with the text, however it is nested', () => {
    const nested = '${'.repeat(5000);
    const inside = `${'${a.'.repeat(60)}b${'}'.repeat(60)}`;
    expect(isFailure(parseText(nested))).toBe(true);
    expect(isFailure(parseText(inside))).toBe(false);
    expect(isFailure(parseText(`${'\\'.repeat(100_000)}x\${a}`))).toBe(false);
  });
});
