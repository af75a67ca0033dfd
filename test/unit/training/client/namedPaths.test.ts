import { describe, expect, test } from 'vitest';
import { namedPathFindings } from '../../../../src/training/node/client/namedPaths.ts';
import type { Training } from '../../../../src/training/core/launch/training.ts';
import { ajetConfig, stagedConfig, trainingOf, trinityConfig } from './launch/orders.ts';
import { temporary, treeOf, write } from './sync/syncHost.ts';

type Named = Pick<Training, 'model' | 'data' | 'code' | 'stages'>;

const nothing: Named = { model: { key: 'm', value: null }, data: [], code: [], stages: [] };
const modelAt = (value: string): Named => ({ ...nothing, model: { key: 'm', value } });
const dataAt = (value: string, kind: 'file' | 'dataset' = 'file'): Named => ({
  ...nothing,
  data: [{ key: 'd', value, kind }],
});
const codeAt = (value: string): Named => ({ ...nothing, code: [{ key: 'c', value }] });

async function messages(named: Named, root: string): Promise<string[]> {
  const found = await namedPathFindings(named, await treeOf(root));
  return found.map(({ id, message }) => `${id}: ${message.replace(root, 'ROOT')}`);
}

describe('paths that a config names', () => {
  test('are those of its model, data, workflow and judge', async () => {
    const text = ajetConfig
      .replace(
        '/data/train.jsonl',
        'data/train.jsonl\n      validation:\n        file_path: /data/valid.jsonl',
      )
      .replace('/models/qwen/3b/instruct', 'models/qwen/3b/instruct')
      .replace('  task_reader:', '  rollout:\n    user_workflow: flow.py->Flow\n  task_reader:');
    const root = await temporary();
    const found = await namedPathFindings(await trainingOf(text), await treeOf(root));
    expect(found.map(({ severity, key }) => [severity, key])).toEqual([
      ['error', 'ajet.model.path'],
      ['error', 'ajet.task_reader.jsonl_dataset_file.training.file_path'],
      ['error', 'ajet.rollout.user_workflow'],
    ]);
    const trinity = trinityConfig.replace('/data/tasks', './data/tasks');
    expect(await namedPathFindings(await trainingOf(trinity), await treeOf(root))).toMatchObject([
      { key: 'buffer.explorer_input.taskset.path' },
    ]);
    const staged = stagedConfig.replace('/data/examples', './data/examples');
    expect(await namedPathFindings(await trainingOf(staged), await treeOf(root))).toMatchObject([
      { key: 'stages.0.buffer.trainer_input.experience_buffer.path' },
    ]);
  });

  test('are those that cannot be elsewhere: no absolute ones, no names of a hub, no packages', async () => {
    const root = await temporary();
    const elsewhere = [
      ...[modelAt('Qwen/Qwen2.5-7B'), modelAt('/m/a/b/c'), modelAt('~/m'), modelAt('gpt')],
      ...[dataAt('openai/gsm8k', 'dataset'), dataAt('gsm8k', 'dataset'), dataAt('hf://datasets/a/b')],
      ...[codeAt('ajet.judges->Judge'), codeAt('flow.ts->Flow'), codeAt('no locator')],
    ];
    for (const named of elsewhere) expect(await messages(named, root)).toEqual([]);
    // A folder goes before a hub, also where it is not sent.
    await write(root, { 'Qwen/Qwen2.5-7B/config.json': '', 'gsm8k/a.parquet': '', '.gitignore': 'Qwen\n' });
    expect(await messages(modelAt('Qwen/Qwen2.5-7B'), root)).toEqual([
      'model-not-sent: `Qwen/Qwen2.5-7B` is not sent: the rule `Qwen` of .gitignore excludes it.',
    ]);
    expect(await messages(dataAt('gsm8k', 'dataset'), root)).toEqual([]);
  });

  test('lead to what is sent, a file or a folder, behind links too', async () => {
    const root = await temporary();
    await write(root, {
      ...{ 'data/raw/train.jsonl': '', 'flow.py': '', 'pack/__init__.py': '', 'pack/agent.py': '' },
      ...{ 'deep/link': '-> ../data', latest: '-> deep/link/raw', loop: '-> loop', hollow: null },
    });
    const there = ['data/raw/train.jsonl', './data//raw/', 'deep/link/raw/train.jsonl', 'latest', '.'];
    for (const place of [...there, 'latest/train.jsonl', 'data/../flow.py']) {
      expect(await messages(dataAt(place), root), place).toEqual([]);
    }
    for (const locator of ['flow.py->A', './flow.py->A', 'pack->A', 'pack.agent->A']) {
      expect(await messages(codeAt(locator), root), locator).toEqual([]);
    }
    for (const place of ['data/raw/train', 'loop', 'latest/other', 'C:\\data\\train.jsonl']) {
      expect(await messages(dataAt(place), root), place).toEqual([
        `data-not-sent: \`${place}\` does not exist in the folder that is sent, ROOT.`,
      ]);
    }
    expect(await messages(dataAt('hollow'), root)).toEqual(['data-not-sent: No file in `hollow` is sent.']);
    expect(await messages(dataAt('../train.jsonl'), root)).toEqual([
      'data-not-sent: `../train.jsonl` is outside the folder that is sent, ROOT.',
    ]);
  });

  test('name the rule that leaves them out, and the line that brings them back', async () => {
    const root = await temporary();
    await write(root, {
      ...{ '.gitignore': 'data/\n*.parquet\n', 'data/train.jsonl': '', 'sets/a/x.parquet': '' },
      ...{ 'sets/.gitignore': '/b/*\n', 'sets/b/y.jsonl': '', 'checkpoints/m/a/b/config.json': '' },
      ...{ 'code/agent.py': '', '.agentjetignore': '# ours\ncode\n', out: '-> ../elsewhere' },
    });
    const cases: readonly (readonly [Named, string])[] = [
      [dataAt('data/train.jsonl'), 'the rule `data/` of .gitignore excludes it.'],
      [dataAt('sets/a/x.parquet'), 'the rule `*.parquet` of .gitignore excludes it.'],
      [dataAt('sets/b/y.jsonl'), 'the rule `/b/*` of sets/.gitignore excludes it.'],
      [modelAt('checkpoints/m/a/b'), 'the rule `checkpoints/` (a default rule) excludes it.'],
      [codeAt('code.agent->A'), 'the rule `code` of .agentjetignore excludes it.'],
    ];
    for (const [named, rule] of cases) expect((await messages(named, root))[0]).toContain(rule);
    let own = '# ours\ncode\n';
    for (const [named] of cases) {
      const [found] = await namedPathFindings(named, await treeOf(root));
      own += `${/`(!.*?)`/.exec(found?.hint ?? '')?.[1] ?? ''}\n`;
      await write(root, { '.agentjetignore': own });
      expect(await messages(named, root)).toEqual([]);
    }
    expect(await messages(dataAt('out/x.jsonl'), root)).toEqual([
      'data-not-sent: `out/x.jsonl` is not sent, because `out` cannot be sent: its target is outside the folder.',
    ]);
  });
});
