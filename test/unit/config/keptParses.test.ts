import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/parse.ts';
import { keptParses } from '../../../src/config/parse/keptParses.ts';

it('reads a file again only when its text is another', () => {
  const parse = keptParses();
  const first = parse('/a.yaml', 'a: 1\nb: 2\n');
  expect(parse('/a.yaml', 'a: 1\nb: 2\n')).toBe(first);
  expect(parse('/b.yaml', 'a: 1\nb: 2\n')).not.toBe(first);
  const edited = parse('/a.yaml', 'a: 1\nb: 3\n');
  expect(edited.root).toEqual(parseConfig('a: 1\nb: 3\n').root);
  expect(parse('/a.yaml', 'a: 1\nb: 3\n')).toBe(edited);
});
