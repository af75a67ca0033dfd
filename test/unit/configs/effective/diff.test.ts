import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffEffective, renderDiff } from '../../../../src/configs/core/effective/diff.ts';
import { keySources } from '../../../../src/configs/core/effective/keySources.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { fromNode, toPlain, type Plain, type Value } from '../../../../src/configs/core/value.ts';
import { fuzz } from '../../fuzz.ts';
import { composeText } from '../memoryFiles.ts';

function read(text: string, file: string): Value {
  const document = parseConfig(text);
  if (document.root === undefined) throw new Error('an empty text');
  return fromNode(document.root, { file, lines: document.lines }, () => undefined);
}

describe('difference of two effective configs', () => {
  it('tells what was added, removed and changed, with both places', () => {
    const a = read(
      'x: 1\nsame: {deep: [1, 2]}\nlist: [a, b, c]\ngone: {p: 1, q: {}}\nkind: 5\n',
      '/w/a.yaml',
    );
    const b = read(
      'x: 2\nsame: {deep: [1, 2]}\nlist: [a, d]\nkind: [5]\nnew: {deep: {er: yes}}\n',
      '/w/b.yaml',
    );
    expect(renderDiff(diffEffective(a, b), { relativeTo: '/w' })).toBe(`~ x: 1 -> 2  # a.yaml:1 -> b.yaml:1
~ list.1: b -> d  # a.yaml:3 -> b.yaml:3
- list.2: c  # a.yaml:3
- gone.p: 1  # a.yaml:4
- gone.q: {}  # a.yaml:4
~ kind: 5 -> […]  # a.yaml:5 -> b.yaml:4
+ new.deep.er: true  # b.yaml:5
`);
  });

  it('goes by value: neither text, nor place, nor order, nor 1 against 1.0 makes a difference', () => {
    const a = read('a: 1\nb: {c: "x", d: .nan}\n', '/a.yaml');
    const b = read('# other\nb:\n  d: .NaN\n  c: x\n\na: 1.0\n', '/b.yaml');
    expect(diffEffective(a, b)).toEqual([]);
  });

  it('keeps apart a text and the number it reads as, null and a missing key', () => {
    const changes = diffEffective(read('a: "1"\nb: null\n', '/a.yaml'), read('a: 1\n', '/b.yaml'));
    expect(changes.map(({ kind, path }) => `${kind} ${path.join('.')}`)).toEqual(['changed a', 'removed b']);
  });

  const origin = { kind: 'bundled', key: '' } as const;
  const value = (plain: unknown): Value => {
    if (Array.isArray(plain)) return { kind: 'sequence', items: plain.map(value), origin };
    if (typeof plain === 'object' && plain !== null) {
      return {
        kind: 'mapping',
        entries: new Map(Object.entries(plain).map(([k, v]) => [k, value(v)])),
        origin,
      };
    }
    const scalar = plain as null | string | number | boolean;
    const type = scalar === null ? 'null' : typeof scalar === 'number' ? 'float' : 'string';
    return { kind: 'scalar', type: typeof scalar === 'boolean' ? 'boolean' : type, value: scalar, origin };
  };
  const section = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });

  it('is empty for equals alone, and turns around with its sides', () => {
    fc.assert(
      fc.property(section, section, (first, second) => {
        const [a, b] = [value(first), value(second)];
        const same = JSON.stringify(sorted(toPlain(a))) === JSON.stringify(sorted(toPlain(b)));
        expect(diffEffective(a, b).length === 0).toBe(same);
        expect(diffEffective(a, value(first))).toEqual([]);
        const there = diffEffective(a, b).map(
          ({ kind, path }) => `${opposite[kind]} ${JSON.stringify(path)}`,
        );
        const back = diffEffective(b, a).map(({ kind, path }) => `${kind} ${JSON.stringify(path)}`);
        expect(there.sort()).toEqual(back.sort());
      }),
      fuzz(417, 5_000),
    );
  });
});

const opposite = { added: 'removed', removed: 'added', changed: 'changed' } as const;

function sorted(plain: Plain): unknown {
  if (Array.isArray(plain)) return plain.map(sorted);
  // JSON has no negative zero, and to a config it is zero.
  if (typeof plain !== 'object' || plain === null) return plain;
  return Object.entries(plain)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => [key, sorted(child)]);
}

describe('what reaches a key of a backbone', () => {
  const text = `ajet:
  data:
    train_batch_size: 8
  rollout:
    num_repeat: 4
trinity:
  synchronizer:
    sync_offset: 1
hydra: {searchpath: [file://ajet/default_config]}
defaults: [ajet_default, _self_]
`;

  it('leads from a name in an error to the keys and lines it is made of', async () => {
    const composition = await composeText(text);
    const [batch] = keySources(composition, 'trinity', 'train_batch_size');
    expect(batch?.path).toBe('buffer.train_batch_size');
    expect(batch?.keys).toEqual(
      expect.arrayContaining(['ajet.data.train_batch_size', 'ajet.rollout.num_repeat']),
    );
    expect(batch?.places.map(({ line }) => line)).toEqual([3, 5]);
    expect(keySources(composition, 'verl', 'data.train_batch_size')).toMatchObject([
      { path: 'data.train_batch_size', value: { value: 8 }, keys: ['ajet.data.train_batch_size'] },
      { path: 'ajet.data.train_batch_size', keys: ['ajet.data.train_batch_size'] },
    ]);
  });

  it('knows what was typed for the backbone itself, and what nobody typed', async () => {
    const composition = await composeText(text);
    expect(keySources(composition, 'trinity', 'sync_offset')).toMatchObject([
      { path: 'synchronizer.sync_offset', keys: ['trinity.synchronizer.sync_offset'], places: [{ line: 8 }] },
    ]);
    const [type] = keySources(composition, 'trinity', 'algorithm_type');
    expect(type).toMatchObject({ keys: [], places: [], value: { value: 'multi_step_grpo' } });
    expect(keySources(composition, 'trinity', 'no_such_key')).toEqual([]);
  });
});
