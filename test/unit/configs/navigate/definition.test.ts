import { describe, expect, it } from 'vitest';
import { definitionAt } from '../../../../src/configs/core/navigate/definition.ts';
import { contextAt } from './project.ts';

const files = {
  '/project/agents/math.py': 'from ajet import Workflow\n\nclass A(Workflow): ...\n',
  '/project/data/train.jsonl': '{}\n',
  '/project/ajet/default_config/ajet_default.yaml':
    'ajet:\n  rollout:\n    num_repeat: 4\n    temperature: 0.7\n',
  '/project/ajet/default_config/db/mysql.yaml': 'port: 1\n',
};
const head = `hydra:
  searchpath:
    - file://ajet/default_config
defaults:
  - ajet_default
  - _self_
`;

/** \`what leads there -> file:line:column\`, of each target. */
async function definition(marked: string): Promise<string | undefined> {
  const { context, offset } = await contextAt(marked, files);
  const found = definitionAt(context, offset);
  if (found === undefined) return undefined;
  const targets = found.targets.map(({ file, line, column }) => `${file}:${line ?? ''}:${column ?? ''}`);
  return `${context.document.text.slice(found.span.start, found.span.end)} -> ${targets.join(', ')}`;
}

const own = '/project/conf/exp.yaml';

describe('definitionAt', () => {
  it.each([
    [
      'a locator',
      'ajet:\n  rollout:\n    user_workflow: agents.math->|A\n',
      'agents.math->A -> /project/agents/math.py:3:7',
    ],
    [
      'a locator in quotes',
      'ajet:\n  rollout:\n    user_workflow: "agents/math.py->A|"\n',
      '"agents/math.py->A" -> /project/agents/math.py:3:7',
    ],
    [
      'a locator to no class',
      'ajet:\n  rollout:\n    user_workflow: agents.math->B|\n',
      'agents.math->B -> /project/agents/math.py:1:1',
    ],
    [
      'a path',
      'ajet:\n  task_reader:\n    jsonl_dataset_file:\n      training:\n        file_path: data/|train.jsonl\n',
      'data/train.jsonl -> /project/data/train.jsonl:1:1',
    ],
    [
      'an entry of defaults',
      `ajet: {}\n${head.replace('- ajet_default', '- ajet_|default')}`,
      'ajet_default -> /project/ajet/default_config/ajet_default.yaml:1:1',
    ],
    [
      'a choice of a group',
      `ajet: {}\n${head.replace('- ajet_default', '- db: my|sql')}`,
      'mysql -> /project/ajet/default_config/db/mysql.yaml:1:1',
    ],
    [
      'a search folder',
      `ajet: {}\n${head.replace('file://ajet', 'file://a|jet')}`,
      'file://ajet/default_config -> /project/ajet/default_config/ajet_default.yaml:1:1',
    ],
    ['an interpolation', 'ajet:\n  model:\n    path: a\nmine: ${ajet.model.|path}\n', `path -> ${own}:3:5`],
    [
      'a step of an interpolation',
      'ajet:\n  model:\n    path: a\nmine: ${ajet.mo|del.path}\n',
      `model -> ${own}:2:3`,
    ],
    ['a relative interpolation', 'ajet: {}\nmine:\n  a: 1\n  b: ${.|a}\n', `a -> ${own}:3:3`],
    ['an item of a list', 'ajet: {}\nmine:\n  - a\n  - ${mine[|0]}\n', `0 -> ${own}:3:5`],
    [
      'an interpolation within another',
      'ajet: {}\nkey: a\nmap: {a: 1}\nmine: ${map.${k|ey}}\n',
      `key -> ${own}:2:1`,
    ],
    [
      'a key that a default file has',
      `ajet: {}\n${head}mine: \${ajet.rollout.temper|ature}\n`,
      'temperature -> /project/ajet/default_config/ajet_default.yaml:4:18',
    ],
    ['an interpolation to nothing', 'ajet: {}\nmine: ${ajet.no|thing}\n', undefined],
    ['an alias', 'ajet: {}\na: &mark 1\nb: *ma|rk\n', `mark -> ${own}:2:5`],
    ['the last anchor of a name', 'ajet: {}\na: &m 1\nb: &m 2\nc: *m|\nd: &m 3\n', `m -> ${own}:3:5`],
    ['an alias of nothing', 'ajet: {}\nb: *ma|rk\n', undefined],
    ['a key set here', 'ajet:\n  rollout:\n    num_re|peat: 8\n', `num_repeat -> ${own}:3:5`],
    ['a plain value', 'ajet:\n  rollout:\n    num_repeat: 8|\n', `8 -> ${own}:3:5`],
    [
      'a key that another file sets',
      `ajet:\n  rollout:\n    num_re|peat: 8\n${head.replace('  - ajet_default\n  - _self_\n', '  - _self_\n  - ajet_default\n')}`,
      `num_repeat -> /project/ajet/default_config/ajet_default.yaml:3:17, ${own}:3:5`,
    ],
    [
      'a key that conversion replaces',
      'ajet:\n  data:\n    train_batch_size: 8\ndata:\n  train_batch_s|ize: 4\n',
      `train_batch_size -> ${own}:3:5, ${own}:5:3`,
    ],
    ['nothing between keys', 'ajet:\n\n|\n  rollout:\n    num_repeat: 8\n', undefined],
  ])('of %s', async (_, marked, expected) => {
    expect(await definition(marked)).toBe(expected);
  });

  it('is of each choice of a group that is a list', async () => {
    const marked = `ajet: {}\n${head.replace('- ajet_default', '- db: [other, my|sql]')}`;
    expect(await definition(marked)).toBe('mysql -> /project/ajet/default_config/db/mysql.yaml:1:1');
  });

  it('leads into a text anywhere in any other, however broken', async () => {
    const text = 'ajet:\n  a: &x [1, {b: ${.c}, *x : d}]\n  <<: *x\n "c: ${a.${b}\n- *\n&\n';
    const { context } = await contextAt(`${text}|`);
    for (let offset = 0; offset <= text.length; offset += 1) {
      const found = definitionAt(context, offset);
      expect(found === undefined || found.targets.length > 0).toBe(true);
    }
  });
});
