import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folded, Jail, linkProblem, pathProblem } from '../../../../../src/training/core/sync/jail.ts';
import { fuzz } from '../../../fuzz.ts';

const nasty = fc.constantFrom(
  ...['..', '.', '', '/', '\\', 'C:', 'c:', '\u0000', '\n', '\u007f', '\u0085', '\u2028', '\ud800', '~'],
  ...['a', 'A', 'ß', 'SS', 'ſ', 'K', 'é', 'e\u0301', 'nul', 'CON.txt', 'x.', 'x ', 'a:b', 'x'.repeat(300)],
);
const anyPath = fc.oneof(
  fc
    .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 6 })
    .map((names) => names.join('/')),
  fc.array(nasty, { maxLength: 4 }).map((names) => names.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

describe('paths', () => {
  test.each([
    ['', 'it is empty'],
    ['/etc/passwd', 'it is absolute'],
    ['C:/x', 'it is absolute'],
    ['c:x', 'it is absolute'],
    ['../x', 'it has the name ..'],
    ['a/../../x', 'it has the name ..'],
    ['a/./b', 'it has the name .'],
    ['a//b', 'it has an empty name'],
    ['a/', 'it has an empty name'],
    ['a\\..\\b', 'it has a backslash'],
    ['a\u0000b', 'it has control characters'],
    ['a\nb', 'it has control characters'],
    ['a\ud800', 'it has control characters'],
    ['é'.repeat(128), 'it has a name of more than 255 bytes'],
    [Array.from({ length: 10 }, () => 'é'.repeat(60)).join('/'), 'it is longer than 1024 bytes'],
  ])('%j is refused', (refused, why) => {
    expect(pathProblem(refused)).toBe(why);
  });

  test.each(['a', '.a', '...', 'a b/c:d', 'ü/日本', 'x'.repeat(255), 'con', 'a.'])(
    '%j is inside',
    (inside) => {
      expect(pathProblem(inside)).toBeUndefined();
    },
  );

  test.each(['con', 'NUL.tar.gz', 'a/lpt1', 'a.', 'a ', 'aa:b', 'what?'])(
    '%j is refused on Windows',
    (name) => {
      expect(pathProblem(name)).toBeUndefined();
      expect(pathProblem(name, { windows: true })).toMatch(/is not a valid file name on Windows$/);
    },
  );

  test('what is let through stays below the root, by the rules of every platform', () => {
    fc.assert(
      fc.property(anyPath, (tried) => {
        if (pathProblem(tried) === undefined) {
          expect(path.posix.normalize(tried)).toBe(tried);
          expect(path.posix.resolve('/root', tried)).toBe(`/root/${tried}`);
          expect(tried).not.toContain('\u0000');
          expect(Buffer.from(tried).toString()).toBe(tried);
        }
        if (pathProblem(tried, { windows: true }) === undefined) {
          const resolved = path.win32.resolve('C:\\root', tried);
          expect(resolved).toBe(`C:\\root\\${tried.replaceAll('/', '\\')}`);
        }
      }),
      fuzz(1, 20_000),
    );
  });
});

describe('links', () => {
  test.each([
    ['a', '/etc', 'its target is absolute'],
    ['a', '..', 'its target is outside the folder'],
    ['a/b', '../../x', 'its target is outside the folder'],
    ['a', 'b/../c', 'its target has .. after a name'],
    ['a', '', 'its target is empty'],
    ['a', 'C:\\x', 'its target has a backslash'],
    ['a', 'b\u0000', 'its target has control characters'],
  ])('%j to %j is refused', (from, target, why) => {
    expect(linkProblem(from, target)).toBe(why);
  });

  test.each([
    ['a', 'b'],
    ['a', './b'],
    ['a/b', '..'],
    ['a/b/c', '../../x/y'],
    ['a', 'b//c/'],
  ])('%j to %j is inside', (from, target) => {
    expect(linkProblem(from, target)).toBeUndefined();
  });

  test('however links lead through each other, none leads out', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((list) => list.join('/'));
    const targets = fc
      .array(fc.oneof(names, fc.constant('..'), fc.constant('.')), { minLength: 1, maxLength: 6 })
      .map((list) => list.join('/'));
    fc.assert(
      fc.property(fc.array(fc.tuple(paths, targets), { maxLength: 8 }), paths, (links, start) => {
        const jail = new Jail();
        const kept = links.filter(([at, link]) => jail.problemOf({ path: at, link }) === undefined);
        expect(follow(new Map(kept), start.split('/'))).not.toBe('outside');
      }),
      fuzz(2, 20_000),
    );
  });
});

/** As a kernel resolves a path: name by name, the link's own folder being where it really is. */
function follow(links: ReadonlyMap<string, string>, names: readonly string[]): string {
  const at: string[] = [];
  const left = [...names].reverse();
  for (let steps = 0; left.length > 0; steps++) {
    if (steps > 500) return 'loop';
    const name = left.pop() ?? '';
    if (name === '..') {
      if (at.length === 0) return 'outside';
      at.pop();
    } else if (name !== '' && name !== '.') {
      const target = links.get([...at, name].join('/'));
      if (target === undefined) at.push(name);
      else left.push(...target.split('/').reverse());
    }
  }
  return at.join('/');
}

describe('entries of one root', () => {
  const problems = (
    ...paths: readonly (string | { path: string; link: string })[]
  ): (string | undefined)[] => {
    const jail = new Jail();
    return paths.map((entry) => jail.problemOf(typeof entry === 'string' ? { path: entry } : entry));
  };

  test('nothing is below a file or a link', () => {
    expect(problems('a', 'a/b')).toEqual([undefined, 'its parent "a" is not a folder']);
    expect(problems('a/b', 'a')).toEqual([undefined, 'other files are below it']);
    const toFolder = { path: 'l', link: 'd' };
    expect(problems(toFolder, 'l/x/y')).toEqual([undefined, 'its parent "l" is not a folder']);
  });

  test('nothing is there twice, whatever the file system takes for the same', () => {
    expect(problems('a', 'a')[1]).toBe('it is listed twice');
    const same = (what: string): string =>
      `it differs from "${what}" only in case or accents, which some systems ignore`;
    expect(problems('README', 'readme')[1]).toBe(same('README'));
    expect(problems('Src/a', 'src/b')[1]).toBe(same('Src'));
    expect(problems('é', 'e\u0301')[1]).toBe(same('é'));
    expect(problems('straße', 'STRASSE')[1]).toBe(same('straße'));
    expect(problems('A/b', 'a')[1]).toBe(same('A'));
    expect(problems('a', 'A/b')[1]).toBe('its parent "a" is not a folder');
  });

  test('folding has one result', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(folded(folded(text))).toBe(folded(text));
      }),
      fuzz(3, 5_000),
    );
  });
});
