import { expect, test } from 'vitest';
import { unsentFileFindings } from '../../../../src/training/core/dispatch/located.ts';

test('what cannot be sent is told one by one, and beyond that counted', () => {
  const lost = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      path: `link${at}`,
      rule: null,
      problem: 'it leads nowhere',
    }));
  const ruled = { path: '.env', rule: 'default', pattern: '.env' };
  const messages = (count: number): string[] =>
    unsentFileFindings([ruled, ...lost(count)]).map(({ message }) => message);
  expect(messages(0)).toEqual([]);
  expect(messages(2)).toEqual([
    'Cannot send `link0`: it leads nowhere.',
    'Cannot send `link1`: it leads nowhere.',
  ]);
  expect(messages(10)).toHaveLength(10);
  expect(messages(300)).toHaveLength(11);
  expect(messages(300).at(-1)).toBe('290 more files cannot be sent. To list them, use `--dry-run`.');
});
