import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderEffective } from '../../../../src/configs/core/effective/render.ts';
import { entryOf, nodeAt } from '../../../../src/configs/core/node.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import {
  fromNode,
  toPlain,
  type MappingValue,
  type Origin,
  type Plain,
  type Value,
} from '../../../../src/configs/core/value.ts';
import { fuzz } from '../../fuzz.ts';

const origin: Origin = { kind: 'file', location: { file: '/p/conf/exp.yaml', line: 3, column: 1 } };

function mapping(entries: Record<string, Value>, from: Origin = origin): MappingValue {
  return { kind: 'mapping', entries: new Map(Object.entries(entries)), origin: from };
}

function valueOf(plain: Plain, from: Origin = origin): Value {
  if (Array.isArray(plain))
    return { kind: 'sequence', items: plain.map((item) => valueOf(item, from)), origin: from };
  if (typeof plain === 'object' && plain !== null) {
    return mapping(
      Object.fromEntries(Object.entries(plain).map(([key, child]) => [key, valueOf(child, from)])),
      from,
    );
  }
  if (typeof plain !== 'number') {
    const type = plain === null ? 'null' : typeof plain === 'boolean' ? 'boolean' : 'string';
    return { kind: 'scalar', type, value: plain, origin: from };
  }
  return { kind: 'scalar', type: Number.isInteger(plain) ? 'integer' : 'float', value: plain, origin: from };
}

function readBack(text: string): Value {
  const document = parseConfig(text);
  expect(document.problems, text).toEqual([]);
  if (document.root === undefined) throw new Error(`nothing in ${text}`);
  return fromNode(document.root, { file: '/x.yaml', lines: document.lines }, () => {
    throw new Error(`unreadable: ${text}`);
  });
}

/** Without origins, with types. */
function bare(value: Value): unknown {
  if (value.kind === 'scalar') return [value.type, value.value];
  if (value.kind === 'sequence') return value.items.map(bare);
  return new Map([...value.entries].map(([key, child]) => [key, bare(child)]));
}

const awkward = fc.constantFrom(
  ...[
    '',
    ' ',
    'yes',
    'No',
    'null',
    '~',
    '1',
    '1_000',
    '0x1f',
    '1e5',
    '1.',
    '.5',
    '-.inf',
    '.nan',
    '1:30',
    '2024-01-31',
  ],
  ...[
    'a: b',
    'a:',
    'a #b',
    '#a',
    '- a',
    '-',
    '?',
    '? a',
    '[a',
    '{a}',
    '{{x}}',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    "'",
    '"',
    '%',
  ],
  ...[
    '@a',
    '`a`',
    '=',
    '<<',
    '---',
    '...',
    '--- a',
    '${a.b}',
    '\\${a}',
    'x${oc.env:A,b}y',
    'a\nb',
    'a\nb\n',
    'a\n\n\nb\n\n',
  ],
  ...[
    ' a\nb',
    'a \nb',
    'a\n b',
    '\n',
    '\na',
    'a\tb',
    '\t',
    'a\r\nb',
    'é',
    '日本',
    '😀',
    '\u0000',
    '\u0085',
    '\u00a0',
    '\u2028',
  ],
  ...[
    '\ufeff',
    '\x7f',
    'module->Class',
    'a.b.c:D',
    'http://h:1/p',
    'C:\\x',
    '"${a}"',
    'True',
    'None',
    'y',
    '+1',
    '0o7',
    '07',
  ],
);
const text = fc.oneof(
  awkward,
  fc.string(),
  fc.string({ unit: 'binary' }).filter((one) => !/\p{Cs}/u.test(one)),
);
const scalar = fc.oneof(
  text.map((value): Value => ({ kind: 'scalar', type: 'string', value, origin })),
  fc.boolean().map((value) => valueOf(value)),
  fc.constant(valueOf(null)),
  fc.maxSafeInteger().map((value) => valueOf(value + 0)),
  fc.double().map((value): Value => ({ kind: 'scalar', type: 'float', value, origin })),
);
const tree = fc.letrec<{ value: Value; section: MappingValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    tie('section'),
    fc.array(tie('value'), { maxLength: 4 }).map((items): Value => ({ kind: 'sequence', items, origin })),
  ),
  section: fc
    .array(fc.tuple(text, tie('value')), { maxLength: 5 })
    .map((entries): MappingValue => ({ kind: 'mapping', entries: new Map(entries), origin })),
}));

describe('rendering as YAML', () => {
  it('reads back to the same values and types, with and without comments', () => {
    fc.assert(
      fc.property(tree.section, fc.boolean(), (root, origins) => {
        const rendered = renderEffective(root, { format: 'yaml', origins, relativeTo: '/p' });
        expect(bare(readBack(rendered.text)), rendered.text).toEqual(bare(root));
      }),
      fuzz(414, 6_000),
    );
  });

  it('names on each line the value that is there', () => {
    fc.assert(
      fc.property(tree.section, (root) => {
        const { text: rendered, origins } = renderEffective(root, { format: 'yaml', origins: false });
        const document = parseConfig(rendered);
        for (const { line, path } of origins) {
          const key = path.at(-1);
          const node = nodeAt(document.root, path);
          // A list in a list starts on the line below its dash.
          if (typeof key === 'number' && node?.kind === 'sequence' && node.items.length > 0) continue;
          const entry = entryOf(nodeAt(document.root, path.slice(0, -1)), String(key));
          const place = typeof key === 'string' ? entry?.keySpan : node?.span;
          expect(document.lines.position(place?.start ?? 0).line, `${path.join('.')} in\n${rendered}`).toBe(
            line,
          );
        }
      }),
      fuzz(415, 1_000),
    );
  });

  it('shows values with where they come from', () => {
    const rule: Origin = {
      kind: 'rule',
      expression: '(a * b)',
      inputs: [],
      text: '8 * 4 = 32',
    };
    const copy: Origin = {
      kind: 'rule',
      expression: 'ajet.data.x',
      inputs: [{ path: 'ajet.data.x', value: valueOf(7) }],
    };
    const elsewhere: Origin = { kind: 'file', location: { file: '/else/ajet_default.yaml', line: 40 } };
    const root = mapping({
      buffer: mapping({
        train_batch_size: valueOf(32, rule),
        lr: { kind: 'scalar', type: 'float', value: 1e-6, origin },
        sets: valueOf([{ name: 'a', on: true }, [], {}], elsewhere),
      }),
      data: mapping({ x: valueOf(7, copy), prompt: valueOf('You are\nan agent.\n'), empty: valueOf({}) }),
      name: valueOf('1e-3', { kind: 'bundled', key: 'ajet.name' }),
      algorithm: valueOf('grpo', { kind: 'bundled', key: 'x', file: 'trinity_launch.yaml' }),
    });
    const { text: rendered, origins } = renderEffective(root, {
      format: 'yaml',
      origins: true,
      relativeTo: '/p/conf',
    });
    expect(rendered).toBe(`buffer:
  train_batch_size: 32  # rule: 8 * 4 = 32
  lr: 1.0e-06           # exp.yaml:3
  sets:
    - name: a           # /else/ajet_default.yaml:40
      "on": true        # /else/ajet_default.yaml:40
    - []                # /else/ajet_default.yaml:40
    - {}                # /else/ajet_default.yaml:40
data:
  x: 7                  # ajet.data.x, exp.yaml:3
  prompt: |             # exp.yaml:3
    You are
    an agent.
  empty: {}             # exp.yaml:3
name: "1e-3"            # default
algorithm: grpo         # trinity_launch.yaml
`);
    expect(origins.map(({ line, path }) => `${line} ${path.join('.')}`)).toEqual([
      '0 buffer',
      '1 buffer.train_batch_size',
      '2 buffer.lr',
      '3 buffer.sets',
      '4 buffer.sets.0.name',
      '5 buffer.sets.0.on',
      '6 buffer.sets.1',
      '7 buffer.sets.2',
      '8 data',
      '9 data.x',
      '10 data.prompt',
      '13 data.empty',
      '14 name',
      '15 algorithm',
    ]);
  });

  it('leaves out the rest of what aliases have blown up, and says so', () => {
    let value = valueOf([1, 2, 3]);
    for (let depth = 0; depth < 20; depth++)
      value = { kind: 'sequence', items: [value, value, value], origin };
    const { text: rendered } = renderEffective(mapping({ value }), { format: 'yaml', origins: true });
    expect(rendered.split('\n').at(-2)).toBe('# The rest is left out: it is too long.');
  });
});

describe('rendering as JSON', () => {
  it('is the config itself, with what JSON has no number for as YAML writes it', () => {
    fc.assert(
      fc.property(tree.section, (root) => {
        const { text: rendered } = renderEffective(root, { format: 'json', origins: false });
        expect(JSON.parse(rendered)).toEqual(jsonOf(root));
      }),
      fuzz(416, 2_000),
    );
  });

  it('puts the origins in a tree of their own', () => {
    const root = mapping({ a: valueOf({ b: [1, 2] }), c: valueOf({}, { kind: 'bundled', key: 'c' }) });
    const options = { format: 'json', origins: true, relativeTo: '/p' } as const;
    expect(JSON.parse(renderEffective(root, options).text)).toEqual({
      config: { a: { b: [1, 2] }, c: {} },
      origins: { 'a.b.0': 'conf/exp.yaml:3', 'a.b.1': 'conf/exp.yaml:3', c: 'default' },
    });
  });
});

function jsonOf(value: Value): unknown {
  if (value.kind === 'sequence') return value.items.map(jsonOf);
  if (value.kind === 'mapping') {
    return Object.fromEntries([...value.entries].map(([key, child]) => [key, jsonOf(child)]));
  }
  const plain = toPlain(value);
  if (typeof plain !== 'number' || Number.isFinite(plain)) return Object.is(plain, -0) ? 0 : plain;
  return Number.isNaN(plain) ? '.nan' : plain > 0 ? '.inf' : '-.inf';
}
