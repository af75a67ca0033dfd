import { CodedError, type Location } from '../../../base/core/errors.ts';
import { tasksetPath } from '../../../configs/core/trinity/trinityRun.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { readDataSet } from './huggingFaceReader.ts';
import type { ReadTasks } from './taskReader.ts';

/**
 * The reader of Trinity-RFT's tasksets with `storage_type: file`. Tasks are the rows of
 * `load_dataset(path, subset_name, split=…)` in their order, with the whole row as `raw_task`. For display, `main_query` is
 * the column `format.prompt_key`, or `Empty`.
 */
export const readTaskset: ReadTasks = async (source, selection) => {
  const { config, split } = source;
  const taskset = tasksetPath(config, split);
  if (taskset === undefined) throw noTaskset(split, config.locate('buffer.explorer_input'));
  const storage = config.stringOrNull(`${taskset}.storage_type`) ?? 'file';
  if (storage !== 'file') throw notAFile(storage, config.locate(`${taskset}.storage_type`));
  const subset = config.stringOrNull(`${taskset}.subset_name`) ?? undefined;
  const keys = { path: `${taskset}.path`, split: `${taskset}.split`, subset };
  const { rows, warnings } = await readDataSet(source, selection, keys);
  const column = config.stringOrNull(`${taskset}.format.prompt_key`) ?? 'prompt';
  const tasks = rows.map(({ id, row }): Task => {
    const prompt = row[column];
    return {
      main_query: typeof prompt === 'string' && prompt !== '' ? prompt : 'Empty',
      init_messages: [],
      task_id: id,
      env_type: 'no_env',
      metadata: row,
    };
  });
  return { tasks, warnings };
};

function noTaskset(split: string, location: Location): CodedError {
  const isTraining = split === 'training';
  return new CodedError({
    code: 'task-reader/no-taskset',
    message: `The config has no ${isTraining ? 'taskset' : 'eval_tasksets'} in buffer.explorer_input.`,
    location,
    hint: isTraining
      ? 'Set buffer.explorer_input.taskset with path and split, or run the evaluation tasks with --split validation.'
      : 'Add one with path and split, or run the training tasks with --split training.',
  });
}

function notAFile(storage: string, location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/taskset-storage',
    message: `The debug backbone does not support tasksets with storage_type ${JSON.stringify(storage)}.`,
    location,
    hint: 'Write its tasks to a JSONL or Parquet file in a folder, and set path to the folder with storage_type: file.',
  });
}
