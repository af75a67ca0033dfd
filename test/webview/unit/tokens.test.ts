import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import {
  chunkTokens,
  itemOfToken,
  spoken,
  startsWord,
  textPieces,
  tokenItems,
} from '../../../src/traces/webview/detail/tokenLayout.ts';

const messages: fc.Arbitrary<readonly MessageView[]> = fc
  .array(fc.nat(600), { minLength: 1, maxLength: 12 })
  .map((sizes) => {
    let firstToken = 0;
    return sizes.map((tokens, index) => {
      const view: MessageView = {
        index,
        role: 'user',
        author: 'env',
        text: '',
        length: 0,
        truncated: false,
        toolCalls: null,
        toolCallId: null,
        firstToken,
        tokens,
        trainableTokens: 0,
      };
      firstToken += tokens;
      return view;
    });
  });

describe('the layout of tokens', () => {
  test('has each token once, in chunks that do not cross messages', () => {
    fc.assert(
      fc.property(messages, (given) => {
        const items = tokenItems(given);
        const total = given.reduce((sum, { tokens }) => sum + tokens, 0);
        let next = 0;
        for (const item of items) {
          expect(item.from).toBe(next);
          expect(item.end - item.from).toBeLessThanOrEqual(chunkTokens);
          next = item.end;
        }
        expect(next).toBe(total);
        expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(given.length);
        expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
      }),
      { seed: 45 },
    );
  });

  test('finds the chunk of any token', () => {
    fc.assert(
      fc.property(messages, fc.nat(7_200), (given, token) => {
        const items = tokenItems(given);
        const found = items[itemOfToken(items, token)];
        const total = given.reduce((sum, { tokens }) => sum + tokens, 0);
        if (token >= total) expect(found).toBeUndefined();
        else expect(found?.kind === 'tokens' && found.from <= token && token < found.end).toBe(true);
      }),
      { seed: 46 },
    );
  });
});

describe('whitespace', () => {
  test('is cut out, and nothing is lost', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(' ', '\n', '\t', '\r', 'a', '日', '·', '\u202e', '\u200b', '\0', '\u{e0041}'),
        }),
        (text) => {
          const pieces = textPieces(text);
          expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        },
      ),
      { seed: 47 },
    );
  });

  test('a word with the space before it needs no cutting', () => {
    expect([' word', 'word', '日本'].every(startsWord)).toBe(true);
    expect(['  word', ' ', 'a b', 'a\n', '', 'a\u200bb', '\u001b[31m'].some(startsWord)).toBe(false);
  });

  test('is spoken in words', () => {
    expect(spoken(' \n\t')).toBe('space newline tab');
    expect(spoken('')).toBe('part of a character');
    expect(spoken(' word')).toBeUndefined();
  });
});
