import { describe, expect, it } from 'vitest';
import { targetOf, writtenNames } from '../../../../src/configs/core/code/writtenLocators.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { linksOf } from '../../../../src/configs/core/navigate/links.ts';
import { parseConfig } from '../../../../src/configs/core/parse.ts';
import { projectClasses } from '../code/memoryCode.ts';
import { contextOf } from './project.ts';

describe('linksOf', () => {
  it('leads to every file of this machine that a text names', async () => {
    const text = `ajet:
  rollout:
    user_workflow: agents.math->A
  task_judge:
    judge_protocol: other.package->J
  task_reader:
    jsonl_dataset_file:
      training:
        file_path: data/train.jsonl
      validation:
        file_path: data/missing.jsonl
hydra:
  searchpath:
    - file://defaults
defaults:
  - ajet_default
  - db: [a, b]
  - _self_
`;
    const files = {
      '/project/agents/math.py': '\nclass A: ...',
      '/project/data/train.jsonl': '',
      '/project/defaults/ajet_default.yaml': 'ajet: {}\n',
      '/project/defaults/db/a.yaml': 'x: 1\n',
      '/project/defaults/db/b.yaml': 'y: 1\n',
    };
    const links = linksOf(await contextOf(text, files));
    const shown = links.map(({ range, file, line }) => {
      return `${text.slice(range.start.offset, range.end.offset)} -> ${file}${line === undefined ? '' : `:${line}`}`;
    });
    expect(shown).toEqual([
      'agents.math->A -> /project/agents/math.py:2',
      'data/train.jsonl -> /project/data/train.jsonl',
      'file://defaults -> /project/defaults/ajet_default.yaml',
      'ajet_default -> /project/defaults/ajet_default.yaml',
      'a -> /project/defaults/db/a.yaml',
      'b -> /project/defaults/db/b.yaml',
    ]);
  });
});

describe('names that a text has of a class', () => {
  const files = {
    '/project/agents/math.py':
      '@WORKFLOWS.register_module("mine")\nclass A(Workflow): ...\nclass B(Workflow): ...',
    '/project/agents/__init__.py': 'from .math import A as Passed',
  };
  const naming = (locator: string): string => `ajet:\n  rollout:\n    user_workflow: ${locator}\n`;
  const judging = `ajet:\n  task_judge:\n    judge_protocol: agents/math.py->A\n`;
  const trinity = (type: string): string =>
    `algorithm:\n  algorithm_type: grpo\nbuffer:\n  explorer_input:\n    taskset:\n      path: x\n      default_workflow_type: ${type}\nexplorer:\n  runner_per_model: 1\n`;

  it.each([
    ['a file', naming('agents/math.py->A'), 'agents/math.py->A'],
    ['a file beside it', naming('../agents/math.py->A'), '../agents/math.py->A'],
    ['a module', naming('"agents.math->A"'), '"agents.math->A"'],
    ['a package that passes it on', naming('agents->Passed'), 'agents->Passed'],
    ['a judge', judging, 'agents/math.py->A'],
    ["a name of Trinity's", trinity('mine'), 'mine'],
    ['a dotted path', trinity('agents.math.A'), 'agents.math.A'],
    ['another class', naming('agents.math->B'), undefined],
    ['another file', naming('agents/other.py->A'), undefined],
    ['what a file names that is no config', 'name: agents.math->A\n', undefined],
    ['broken text', 'ajet: [ A\n', undefined],
  ])('by %s', async (_, text, expected) => {
    const classes = projectClasses(files);
    const dialect = dialectOf(text);
    const document = parseConfig(text);
    const names = dialect === undefined ? [] : writtenNames(document, dialect);
    const targets = await Promise.all(
      names.map(async (name) => ({
        name,
        target: await targetOf(name, classes, '/project', '/project/conf'),
      })),
    );
    const named = targets.flatMap(({ name: { node }, target }) => {
      const isIt = target.status === 'found' && target.site.name === 'A';
      return isIt ? [text.slice(node.span.start, node.span.end)] : [];
    });
    expect(named).toEqual(expected === undefined ? [] : [expected]);
  });
});
