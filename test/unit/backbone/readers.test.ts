import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../src/backbone/core/task-reader/readers.ts';
import { composeText, memoryFiles } from '../configs/memoryFiles.ts';
import { unasked } from './taskSource.ts';

const jsonl = `ajet:
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file: {training: {file_path: a.jsonl}, validation: {file_path: b.jsonl}}
`;

async function idsOf(text: string, split: 'training' | 'validation'): Promise<readonly string[]> {
  const { config } = await composeText(text);
  const row = (id: string): string => JSON.stringify({ task_id: id, main_query: 'q' });
  const texts: Readonly<Record<string, string>> = {
    '/project/a.jsonl': row('a'),
    '/project/b.jsonl': row('b'),
  };
  const files = { ...memoryFiles(texts), lines: (file: string) => linesOf(texts[file] ?? '') };
  const resolveFile = (file: string): Promise<string> => Promise.resolve(`/project/${file}`);
  const source = { config, split, files, resolveFile, ...unasked };
  const { tasks } = await readTasks(source, { first: 9 });
  return tasks.map(({ task_id }) => task_id);
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* await Promise.resolve(text.split('\n'));
}

describe('readTasks', () => {
  it('reads the split asked for', async () => {
    expect(await idsOf(jsonl, 'training')).toEqual(['a']);
    expect(await idsOf(jsonl, 'validation')).toEqual(['b']);
  });

  it('says where a file is named that is not there', async () => {
    const missing = jsonl.replace('b.jsonl', 'c.jsonl');
    await expect(idsOf(missing, 'validation')).rejects.toMatchObject({
      code: 'task-reader/file-not-found',
      location: { file: '/project/conf/exp.yaml', line: 4 },
    });
  });

  it('says once what ids that several tasks share do to training, rows past the last one taken included', async () => {
    const { config } = await composeText(jsonl);
    const rows = ['a', 'b', '', 'a', '', ''].map((task_id) => JSON.stringify({ task_id, main_query: 'q' }));
    const files = { ...memoryFiles({ '/project/a.jsonl': '' }), lines: () => linesOf(rows.join('\n')) };
    const resolveFile = (file: string): Promise<string> => Promise.resolve(`/project/${file}`);
    const source = { config, split: 'training', files, resolveFile, ...unasked } as const;
    const { tasks, warnings } = await readTasks(source, { first: 2 });
    expect(tasks.map(({ task_id }) => task_id)).toEqual(['a', 'b']);
    expect(warnings).toMatchObject([
      { code: 'task-reader/duplicate-task-id', location: { file: '/project/conf/exp.yaml', line: 4 } },
    ]);
    expect(warnings[0]?.message).toMatch(/^5 of the 6 tasks .* \(3 have none\)\. .*pass@n/);
  });

  it('takes tasks of the dummy set, and says that deep_finance belongs to an example', async () => {
    expect(await idsOf('ajet:\n  task_reader: {type: random_dummy}\n', 'training')).toEqual([
      '521',
      '737',
      '740',
      '660',
      '411',
      '678',
      '626',
      '513',
      '859',
    ]);
    await expect(idsOf('ajet:\n  task_reader: {type: deep_finance}\n', 'training')).rejects.toMatchObject({
      code: 'task-reader/example-reader',
      location: { line: 2 },
    });
  });

  it('refuses a type that it does not know where it stands', async () => {
    await expect(idsOf('ajet:\n  task_reader: {type: carrier_pigeon}\n', 'training')).rejects.toMatchObject({
      code: 'task-reader/unknown-type',
      location: { line: 2 },
    });
  });
});
