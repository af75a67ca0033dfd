import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  LineCutter,
  lineLimit,
  withoutTerminalCodes,
  type IsSafeCut,
} from '../../../../../src/training/core/runs/lines.ts';
import { fuzz } from '../../../fuzz.ts';

interface Told {
  readonly text: string;
  readonly to: number;
  readonly part: boolean;
}

interface CutOptions {
  readonly start?: number;
  readonly sizes?: readonly number[];
  readonly isSafe?: IsSafeCut;
}

/** @param sizes of the pieces in which the file comes, over and over */
function cut(
  file: Buffer,
  { start = 0, sizes = [file.length], isSafe = (): boolean => true }: CutOptions = {},
): Told[] {
  const cutter = new LineCutter(start, isSafe);
  const lines = [];
  for (let at = start, turn = 0; at < file.length; turn++) {
    const end = Math.min(file.length, at + Math.max(1, sizes[turn % sizes.length] ?? 1));
    lines.push(...cutter.add(file.subarray(at, end)));
    at = end;
  }
  expect(cutter.read).toBe(file.length);
  return [...lines, ...cutter.end()].map(({ bytes, to, part }) => {
    return { text: Buffer.from(bytes).toString('utf8'), to, part };
  });
}

const texts = (file: string): string[] => cut(Buffer.from(file)).map(({ text }) => text);

describe('lines of a log', () => {
  test('have their ends taken off, and tell where they end', () => {
    expect(cut(Buffer.from('one\n\ntwo\r\nthree'))).toEqual([
      { text: 'one', to: 4, part: false },
      { text: '', to: 5, part: false },
      { text: 'two', to: 10, part: false },
      { text: 'three', to: 15, part: false },
    ]);
  });

  test('that a progress bar has written over have its last state', () => {
    expect(texts('0%|   |\r50%|#  |\r100%|###|\nnext\n')).toEqual(['100%|###|', 'next']);
    expect(texts('10%\r20%\r\n')).toEqual(['20%']);
    expect(texts('\r10%\r\r\n\r\n')).toEqual(['10%', '']);
  });

  test('of a progress bar without an end take no more room than one', () => {
    const bar = Array.from({ length: 20_000 }, (_, at) => `step ${at}\r`).join('');
    const lines = cut(Buffer.from(`${bar}done\n`), { sizes: [5_000] });
    expect(lines.map(({ text }) => text)).toEqual(['done']);
  });

  test('that are too long go on, behind a blank and never inside a character', () => {
    const words = 'word '.repeat(20_000);
    const parts = cut(Buffer.from(`${words}\n`));
    expect(parts.map(({ text }) => text).join('')).toBe(words);
    expect(parts.slice(0, -1).every(({ part, text }) => part && text.endsWith(' '))).toBe(true);
    const wide = '€'.repeat(30_000);
    const pieces = cut(Buffer.from(wide));
    expect(pieces.map(({ text }) => text).join('')).toBe(wide);
    expect(pieces.every(({ text }) => Buffer.byteLength(text) <= lineLimit)).toBe(true);
  });

  test('that are too long are cut behind items, so that no secret is told in two halves', () => {
    const item = `{"prompt":"${'x'.repeat(700)}","api_key":"sk-${'abcdef0123'.repeat(4)}"},`;
    for (const between of ['', ' ']) {
      const json = `[${item.replaceAll(':', `:${between}`).repeat(200)}]`;
      const parts = cut(Buffer.from(json));
      expect(parts.map(({ text }) => text).join('')).toBe(json);
      for (const { text } of parts.slice(0, -1)) expect(text).toMatch(/[,}]$/);
    }
    const quoted = `'${'y'.repeat(900)}'`.repeat(100);
    for (const { text } of cut(Buffer.from(quoted)).slice(0, -1)) expect(text.endsWith("'")).toBe(true);
  });

  test('that are too long are not cut inside a secret, whatever is in it', () => {
    const isSafe = (before: Uint8Array, after: Uint8Array): boolean =>
      !Buffer.concat([before, after]).includes(secret) ||
      Buffer.from(before).includes(secret) ||
      Buffer.from(after).includes(secret);
    let secret = '';
    for (const one of ['two words, and; marks} here', '} } } , , ; ; '.repeat(9), 'x'.repeat(3_000)]) {
      secret = one;
      for (let at = lineLimit - one.length - 2; at < lineLimit + 2; at += Math.ceil(one.length / 20)) {
        const file = Buffer.from(`${'a'.repeat(at)}${one}${'b'.repeat(20_000)}`);
        const parts = cut(file, { isSafe });
        expect(parts.map(({ text }) => text).join('')).toBe(String(file));
        expect(parts.some(({ text }) => text.includes(one))).toBe(true);
      }
    }
  });

  test('that are no UTF-8 come all the same', () => {
    expect(cut(Buffer.from([0x61, 0xff, 0x0a, 0xc3, 0x0a]))[0]?.text).toBe('a\ufffd');
    const endless = cut(Buffer.alloc(3 * lineLimit, 0x80));
    expect(endless.at(-1)?.to).toBe(3 * lineLimit);
  });

  test('are the same however they come, and from wherever it begins again', () => {
    const piece = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom('a', ' ', 'é', '🎉', '\n', '\r', '\r\n') },
      { weight: 1, arbitrary: fc.nat(40_000).map((length) => 'x'.repeat(length)) },
      { weight: 1, arbitrary: fc.nat(3_000).map((length) => 'ö bar\r'.repeat(length)) },
    );
    const file = fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join('')));
    const sizes = fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 5 });
    const property = fc.property(file, sizes, fc.nat(), (bytes, pieces, pick) => {
      const whole = cut(bytes);
      expect(cut(bytes, { sizes: pieces })).toEqual(whole);
      if (whole.length === 0) return;
      const at = pick % whole.length;
      expect(cut(bytes, { sizes: pieces, start: whole[at]?.to ?? 0 })).toEqual(whole.slice(at + 1));
    });
    fc.assert(property, fuzz(20_261, 2_000));
  });

  test('lose colours, titles and links of terminals', () => {
    const coloured = '\u001b[36m(Explorer pid=1)\u001b[0m \u001b]0;title\u0007done\u001b[K \u001b(Bx';
    expect(withoutTerminalCodes(coloured)).toBe('(Explorer pid=1) done x');
    expect(withoutTerminalCodes('\u001b]8;;https://a.b\u001b\\link\u001b]8;;\u001b\\')).toBe('link');
  });
});
