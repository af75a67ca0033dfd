import { describe, expect, it } from 'vitest';
import { readTasks } from '../../../src/backbone/task-reader/readers.ts';
import { composeText, memoryFiles } from '../config/memoryFiles.ts';

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
  const { tasks } = await readTasks({ config, split, files, resolveFile }, { first: 9 });
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

  it('refuses a type that it does not know where it stands', async () => {
    await expect(idsOf('ajet:\n  task_reader: {type: carrier_pigeon}\n', 'training')).rejects.toMatchObject({
      code: 'task-reader/unknown-type',
      location: { line: 2 },
    });
  });
});
