import { describe, expect, it } from 'vitest';
import type { ResolvedReferences } from '../../../../src/configs/core/context.ts';
import { contextOf } from '../navigate/project.ts';

const factsOf = async (text: string, files?: Record<string, string>): Promise<ResolvedReferences> =>
  (await contextOf(text, files)).references;

const reading = (path: string, more = ''): string =>
  `ajet:\n  task_reader:\n    jsonl_dataset_file:\n      training:\n        file_path: ${path}\n${more}`;
const workflow = '  rollout:\n    user_workflow: w.py->A\n';

describe('whether a path exists', () => {
  const files = {
    '/project/data/train.jsonl': '',
    '/project/conf/near.jsonl': '',
    '/project/w.py': 'class A: ...',
  };
  it.each([
    ['in the working folder', reading('data/train.jsonl'), 'data/train.jsonl', true],
    ['beside the config', reading('near.jsonl'), 'near.jsonl', true],
    ['not in a folder that is there', reading('data/test.jsonl'), 'data/test.jsonl', false],
    ['in a folder that is not there', reading('dataset/test.jsonl'), 'dataset/test.jsonl', undefined],
    [
      'in a folder that its own workspace lacks',
      reading('dataset/test.jsonl', workflow),
      'dataset/test.jsonl',
      false,
    ],
    ['at the top of some workspace', reading('test.jsonl'), 'test.jsonl', undefined],
    ['at the top of its own workspace', reading('./test.jsonl', workflow), './test.jsonl', false],
    ['on another machine', reading('/mnt/data/train.jsonl'), '/mnt/data/train.jsonl', undefined],
    ['missing beside others', reading('/project/data/test.jsonl'), '/project/data/test.jsonl', false],
    ['a model of a hub', 'ajet:\n  model:\n    path: conf/Qwen2\n', 'conf/Qwen2', undefined],
    ['a model on disk', 'ajet:\n  model:\n    path: ./conf/Qwen2\n', './conf/Qwen2', false],
    [
      'what training makes',
      'ajet:\n  trainer_common:\n    checkpoint_base_dir: ./data/out\n',
      './data/out',
      undefined,
    ],
    ['an address', reading('s3://data/train.jsonl'), 's3://data/train.jsonl', undefined],
    ['what is not known yet', reading('${oc.env:X}'), '${oc.env:X}', undefined],
    ['what no key holds', 'ajet:\n  project_name: data/test.jsonl\n', 'data/test.jsonl', undefined],
  ])('%s', async (_, text, path, expected) => {
    expect((await factsOf(text, files)).exists(path)).toBe(expected);
  });

  it('comes with its place and its rows', async () => {
    const references = await factsOf(reading('data/train.jsonl'), files);
    expect(references.file?.('data/train.jsonl')).toBe('/project/data/train.jsonl');
    expect(references.rows?.('data/train.jsonl')).toBe(7);
  });
});

describe('what a config names', () => {
  it('is looked up by its locators', async () => {
    const files = { '/project/conf/w.py': '\nclass A(Workflow): ...' };
    const references = await factsOf(`ajet:\n${workflow}`, files);
    expect(references.locator('w.py->A')).toMatchObject({
      status: 'found',
      site: { file: '/project/conf/w.py', line: 2 },
    });
  });

  it("is looked up in Trinity's registry, or as a dotted path", async () => {
    const trinity = (type: string): string =>
      `algorithm:\n  algorithm_type: grpo\nbuffer:\n  explorer_input:\n    taskset:\n      path: x\n      default_workflow_type: ${type}\nexplorer:\n  runner_per_model: 1\n`;
    const files = { '/project/plugins/w.py': '@WORKFLOWS.register_module("mine")\nclass W(Workflow): ...' };
    const found = { status: 'found', site: { file: '/project/plugins/w.py', line: 2, name: 'W' } };
    expect((await factsOf(trinity('mine'), files)).locator('mine')).toMatchObject(found);
    expect((await factsOf(trinity('plugins.w.W'), files)).locator('plugins.w.W')).toMatchObject(found);
    expect((await factsOf(trinity('other'), files)).locator('other')).toEqual({ status: 'elsewhere' });
    expect((await factsOf(trinity('math_workflow'), files)).locator('math_workflow')).toBeUndefined();
  });

  it('has the folders of the search path with one of their configs', async () => {
    const text =
      'ajet: {}\nhydra:\n  searchpath:\n    - file://defaults\ndefaults:\n  - ajet_default\n  - _self_\n';
    const files = { '/project/defaults/ajet_default.yaml': 'ajet: {}\n', '/project/defaults/a.yaml': '{}\n' };
    expect((await factsOf(text, files)).file?.('file://defaults')).toBe(
      '/project/defaults/ajet_default.yaml',
    );
  });
});
