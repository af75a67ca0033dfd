import { describe, expect, it } from 'vitest';
import { readEnvService } from '../../../src/backbone/core/task-reader/readers.ts';
import type { TaskReadResult, TaskSelection } from '../../../src/backbone/core/task-reader/taskReader.ts';
import { composeText, memoryFiles } from '../configs/memoryFiles.ts';
import { unasked } from './taskSource.ts';

const text = `ajet:
  task_reader:
    type: env_service
    env_service:
      env_type: maze
      training_split: train
      validation_split: dev
`;

async function read(
  ids: readonly unknown[],
  selection: TaskSelection = { first: 9 },
): Promise<TaskReadResult> {
  const { config } = await composeText(text);
  const listTasks = (envType: string, split: string): Promise<readonly unknown[]> =>
    Promise.resolve(envType === 'maze' && split === 'dev' ? ids : []);
  const source = {
    ...unasked,
    config,
    files: memoryFiles({}),
    resolveFile: (file: string) => Promise.resolve(file),
  };
  return readEnvService({ ...source, split: 'validation', environments: { listTasks } }, selection);
}

describe('readEnvService', () => {
  it('makes a task of every id, written as Python writes it', async () => {
    const { tasks } = await read(['maze-1', 7, true, null]);
    expect(tasks.map(({ task_id }) => task_id)).toEqual(['maze-1', '7', 'True', 'None']);
    expect(tasks[0]).toEqual({
      main_query: '[not defined]',
      init_messages: [],
      task_id: 'maze-1',
      env_type: 'maze',
      metadata: {},
    });
  });

  it('takes the first tasks or those asked for', async () => {
    expect((await read(['a', 'b', 'c'], { first: 2 })).tasks).toHaveLength(2);
    expect((await read(['a', 'b', 'c'], { first: 1, taskIds: ['c'] })).tasks).toMatchObject([
      { task_id: 'c' },
    ]);
    await expect(read(['a'], { first: 1, taskIds: ['x'] })).rejects.toMatchObject({
      code: 'task-reader/unknown-task-id',
    });
  });

  it('refuses an empty list where the split is named', async () => {
    await expect(read([])).rejects.toMatchObject({ code: 'task-reader/no-tasks', location: { line: 7 } });
  });

  it('says that there is nothing to ask', async () => {
    const { config } = await composeText(text);
    const source = {
      ...unasked,
      config,
      files: memoryFiles({}),
      resolveFile: (file: string) => Promise.resolve(file),
    };
    await expect(readEnvService({ ...source, split: 'training' }, { first: 1 })).rejects.toMatchObject({
      code: 'task-reader/no-environments',
    });
  });
});
