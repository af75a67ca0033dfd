import { describe, expect, it } from 'vitest';
import { readJsonlTasks } from '../../../src/backbone/core/task-reader/jsonlReader.ts';
import type { FileReader } from '../../../src/base/core/ports.ts';

const file = '/data/train.jsonl';

function filesWith(text: string): FileReader {
  return {
    exists: (path) => Promise.resolve(path === file),
    readText: () => Promise.resolve(text),
    list: () => Promise.resolve([]),
    async *lines() {
      yield* await Promise.resolve(text.split(/\r?\n/));
    },
  };
}

const read = (text: string, first = 100, taskIds?: string[]) =>
  readJsonlTasks(file, { first, taskIds }, filesWith(text));

describe('readJsonlTasks', () => {
  it('maps a full row field for field', async () => {
    const row = {
      main_query: 'q',
      init_messages: [{ role: 'user', content: 'hi' }],
      task_id: 't',
      env_type: 'e',
      metadata: { answer: '1' },
    };
    expect((await read(JSON.stringify(row))).tasks).toEqual([row]);
  });

  it('fills what a row lacks, and takes the whole row for metadata', async () => {
    const row = { question: 'How many?', answer: '#### 4' };
    const { tasks, warnings } = await read(JSON.stringify(row));
    expect(tasks).toEqual([
      { main_query: '[not defined]', init_messages: [], task_id: '', env_type: 'no_env', metadata: row },
    ]);
    expect(warnings.map((warning) => warning.code)).toEqual(['task-reader/no-main-query']);
  });

  it('skips blank lines and a byte order mark, and counts lines as an editor does', async () => {
    const { tasks } = await read(
      '\uFEFF{"task_id":"a","main_query":"x"}\n\n  \n{"task_id":"b","main_query":"y"}\n',
    );
    expect(tasks.map((task) => task.task_id)).toEqual(['a', 'b']);
    await expect(read('{"main_query":"x"}\n\nnot json\n')).rejects.toMatchObject({
      code: 'task-reader/broken-jsonl',
      location: { file, line: 3 },
    });
  });

  it.each([
    ['[1]', 'task-reader/broken-jsonl'],
    ['{"main_query": 5}', 'task-reader/wrong-field'],
    ['{"init_messages": {}}', 'task-reader/wrong-field'],
    ['{"task_id": 7}', 'task-reader/wrong-field'],
    ['{"metadata": []}', 'task-reader/wrong-field'],
    ['\n \n', 'task-reader/no-tasks'],
  ])('refuses %j', async (text, code) => {
    await expect(read(text)).rejects.toMatchObject({ code });
  });

  it('names a missing file', async () => {
    await expect(readJsonlTasks('/nowhere.jsonl', { first: 1 }, filesWith(''))).rejects.toMatchObject({
      code: 'task-reader/file-not-found',
    });
  });

  it('takes the first tasks, and warns of a broken row that training would reach', async () => {
    const { tasks, warnings } = await read(
      '{"task_id":"a","main_query":"x"}\n{"task_id":"b","main_query":"x"}\n{',
      1,
    );
    expect(tasks.map((task) => task.task_id)).toEqual(['a']);
    expect(warnings).toMatchObject([{ code: 'task-reader/broken-jsonl', location: { line: 3 } }]);
  });

  it('takes tasks by id in the order of the file, and names ids that no row has', async () => {
    const rows = ['a', 'b', 'c'].map((id) => JSON.stringify({ task_id: id, main_query: 'x' })).join('\n');
    expect((await read(rows, 1, ['c', 'a'])).tasks.map((task) => task.task_id)).toEqual(['a', 'c']);
    await expect(read(rows, 1, ['a', 'z'])).rejects.toMatchObject({
      code: 'task-reader/unknown-task-id',
      message: expect.stringContaining('"z"') as unknown,
    });
  });
});
