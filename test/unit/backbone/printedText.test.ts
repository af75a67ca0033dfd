import { expect, test } from 'vitest';
import { PrintedText } from '../../../src/backbone/core/task-runner/printedText.ts';

test('printed output keeps its order, and of a long one the end', () => {
  const text = new PrintedText();
  expect(text.output()).toBeUndefined();
  text.add({ stream: 'stderr', text: 'lost' });
  text.add({ stream: 'stdout', text: 'a' });
  text.add({ stream: 'stdout', text: 'b' });
  expect(text.output()).toEqual({
    cut: 0,
    parts: [
      { stream: 'stderr', text: 'lost' },
      { stream: 'stdout', text: 'ab' },
    ],
  });
  for (let line = 0; line < 300; line++) text.add({ stream: 'stdout', text: 'x'.repeat(999) + '\n' });
  text.add({ stream: 'stderr', text: 'end' }, 7);
  const { cut = 0, parts = [] } = text.output() ?? {};
  expect(parts.map(({ stream }) => stream)).toEqual(['stdout', 'stderr']);
  expect(parts.at(-1)?.text).toBe('end');
  const kept = parts.reduce((sum, part) => sum + part.text.length, 0);
  expect([kept, cut + kept]).toEqual([65_536, 6 + 300_000 + 3 + 7]);
});
