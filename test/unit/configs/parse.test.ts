import { describe, expect, it } from 'vitest';
import { entryOf, nodeAt, type Node } from '../../../src/configs/core/node.ts';
import { parseCache, parseConfig } from '../../../src/configs/core/parse.ts';

function problemsOf(text: string): string[] {
  const { problems, lines } = parseConfig(text);
  return problems.map(({ rule, span }) => `${lines.position(span.start).line + 1} ${rule}`);
}

function plain(node: Node | undefined): unknown {
  if (node === undefined || node.kind === 'opaque') return node?.reason;
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'sequence') return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
}

describe('parseConfig', () => {
  it('keeps the place of every key and value', () => {
    const text = 'ajet:\r\n  data:\r\n    max: 3 # three\r\n';
    const { root, lines } = parseConfig(text);
    const entry = entryOf(nodeAt(root, ['ajet', 'data']), 'max');
    expect(entry && lines.location('/x.yaml', entry.keySpan.start)).toEqual({
      file: '/x.yaml',
      line: 3,
      column: 5,
    });
    expect(entry && text.slice(entry.value.span.start, entry.value.span.end)).toBe('3');
  });

  it('reads scalars as upstream does', () => {
    const { root } = parseConfig(
      'a: 1e-6\nb: yes\nc: "yes"\nd: 2024-01-01\ne:\nf: !!str 3\ng: !!float 2\nh: |\n  x\n',
    );
    expect(plain(root)).toEqual({
      a: 1e-6,
      b: true,
      c: 'yes',
      d: '2024-01-01',
      e: null,
      f: '3',
      g: 2,
      h: 'x\n',
    });
  });

  it('gives what it can of a broken text', () => {
    const { root, problems } = parseConfig('ajet:\n  a: 1\n  b: "open\nhydra: 2\n');
    expect(nodeAt(root, ['ajet', 'a'])).toMatchObject({ value: 1 });
    expect(problems).not.toEqual([]);
  });

  it.each([
    ['a: "x', '1 yaml-syntax'],
    ['a: 1\n\tb: 2', '2 yaml-syntax'],
    ['a: b: c', '1 yaml-syntax'],
    ['a: 1\n---\nb: 2', '2 yaml-syntax'],
    ['a: 1\na: 2', '2 duplicate-key'],
    ['a: *nowhere', '1 alias'],
    ['a: &a [*a]', '1 alias'],
    ['a: 1\n<<: 2', '2 alias'],
    ['a: !foo 1', '1 yaml-tag'],
    ['a: !!int x', '1 yaml-tag'],
    ['? [1]\n: 2', '1 yaml-syntax'],
  ])('reports %j', (text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each([
    ['quote', 'a: "x\nb: 1\nc: 2\n', 3, /closing quote is missing/],
    ['list', 'a: 1\nb: [x,\n  y\nc: 2\n', 8, /closing `]` is missing/],
    ['mapping', 'a: {b: 1\nc: 2\n', 3, /closing `}` is missing/],
    ['inner list', 'a: [x, [y\nb: 2\n', 7, /closing `]` is missing/],
  ])('tells of a %s without an end where it begins', (_, text, start, message) => {
    const [problem] = parseConfig(text).problems;
    expect(problem?.span).toEqual({ start, end: start + 1 });
    expect(problem?.message).toMatch(message);
  });

  it('lets the last of several equal keys count', () => {
    expect(nodeAt(parseConfig('a: 1\na: 2').root, ['a'])).toMatchObject({ value: 2 });
  });

  it('follows aliases and merge keys', () => {
    const text = 'base: &b {x: 1, y: 2}\nother: &o {y: 3, z: 4}\nuse:\n  <<: [*b, *o]\n  x: 9\nalso: *b\n';
    const { root, problems } = parseConfig(text);
    expect(plain(nodeAt(root, ['use']))).toEqual({ x: 9, y: 2, z: 4 });
    expect(plain(nodeAt(root, ['also']))).toEqual({ x: 1, y: 2 });
    expect(problems).toEqual([]);
  });

  it('does not let aliases explode', () => {
    const names = 'abcdefghi'.split('');
    const rows = names.map((name, index) => {
      const items = Array<string>(9).fill(index === 0 ? 'x' : `*${names[index - 1] ?? ''}`);
      return `${name}: &${name} [${items.join(',')}]`;
    });
    const { problems } = parseConfig(rows.join('\n'));
    expect(problems.map((problem) => problem.rule)).toEqual(['alias']);
  });

  it('survives nesting without end', () => {
    for (const text of ['['.repeat(20_000), 'a: '.repeat(5_000), '- '.repeat(5_000), '{a: '.repeat(5_000)]) {
      expect(parseConfig(text).problems).not.toEqual([]);
    }
  });

  it('takes placeholders of templates for unknown values', () => {
    const { root, problems } = parseConfig('ajet:\n  model:\n    path: {{MODEL_PATH}}\n');
    expect(nodeAt(root, ['ajet', 'model', 'path'])).toMatchObject({ kind: 'opaque', reason: 'placeholder' });
    expect(problems).toEqual([]);
  });

  it('has no value for a text without any', () => {
    expect(parseConfig('').root).toBeUndefined();
    expect(parseConfig('# only\n').root).toBeUndefined();
  });
});

describe('parseCache', () => {
  it('parses a file again only when its text is different', () => {
    const parse = parseCache();
    const first = parse('/a.yaml', 'a: 1\n');
    expect(parse('/a.yaml', 'a: 1\n')).toBe(first);
    expect(parse('/b.yaml', 'a: 1\n')).not.toBe(first);
    expect(parse('/a.yaml', 'a: 2\n').root).toEqual(parseConfig('a: 2\n').root);
  });
});
