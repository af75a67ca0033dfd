import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentSpan, type SpannedMessage } from '../../../src/traces/core/contentSpan.ts';
import { fuzz } from '../fuzz.ts';

/** Tokens of one to three letters between a header and an end; the template adds all but the text. */
const letters = fc.stringMatching(/^[ab]{1,3}$/);
const messages = fc.record({
  tokens: fc.array(letters, { maxLength: 12 }),
  text: fc.stringMatching(/^[ab]{1,5}$/),
});
const special = ['<|im_start|>', '<|im_end|>'];

test('the content of a message is the last place that spells its text', () => {
  fc.assert(
    fc.property(messages, ({ tokens, text }) => {
      const pieces = ['<|im_start|>', 'user', '\n', ...tokens, '<|im_end|>', '\n'];
      const message: SpannedMessage = {
        ...{ role: 'user', author: 'env', text, toolCalls: null },
        tokenIds: Int32Array.from(pieces.keys()),
        lossMask: new Uint8Array(pieces.length),
      };
      const span = contentSpan(message, (id) => {
        const piece = pieces[id] ?? '';
        return { bytes: new TextEncoder().encode(piece), special: special.includes(piece) };
      });
      const all = tokens.join('');
      const at = all.lastIndexOf(text);
      fc.pre(at >= 0);
      const shown = tokens.slice(span.from - 3, span.end - 3).join('');
      const before = tokens.slice(0, span.from - 3).join('').length;
      // Whole tokens, of which the first and the last have a part of the text.
      expect(before).toBeLessThanOrEqual(at);
      expect(before + (tokens[span.from - 3] ?? '').length).toBeGreaterThan(at);
      expect(before + shown.length).toBeGreaterThanOrEqual(at + text.length);
      expect(before + shown.length - (tokens[span.end - 4] ?? '').length).toBeLessThan(at + text.length);
    }),
    fuzz(83, 2_000),
  );
});
