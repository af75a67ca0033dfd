import { CodedError, type Location } from '../../../base/core/errors.ts';
import { tasksetReader, tasksetPath } from '../../../configs/core/trinity/trinityRun.ts';
import { readGenerated } from './generation/generationReader.ts';
import { readHuggingFace, readDataSet } from './huggingFaceReader.ts';
import { IdTally, type ReadTasks, selectTasks } from './taskReader.ts';
import { readJsonlSplit, notDefined } from './jsonlReader.ts';
import { readTracing } from './tracing/tracingReader.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { pythonValue } from '../env-service/gymEnv.ts';
import { numpyShuffle } from './mersenneTwister.ts';

/** Upstream's 1000 tasks in upstream's order, the same for both splits. Throws `task-reader/unknown-task-id`. */
export const readRandomDummy: ReadTasks = ({ config }, selection) => {
  const numbers = Array.from({ length: 1000 }, (_, number) => number);
  numpyShuffle(numbers, 42);
  const tasks = numbers.map((number) => ({
    main_query: `[dummy task @ ${number}]`,
    init_messages: [],
    task_id: String(number),
    env_type: 'no_env',
    metadata: { random_number: number },
  }));
  const where = config.locate('ajet.task_reader.type');
  return Promise.resolve({ tasks: selectTasks(tasks, selection, where), warnings: [] });
};

const section = 'ajet.task_reader.env_service';

/**
 * The reader of `env_service`: one task for each id that the service lists, its query left to the episode's instance.
 *
 * Throws `task-reader/no-tasks` for an empty list, as upstream does, `task-reader/no-environments`,
 * `task-reader/unknown-task-id`, and what asking the service throws.
 */
export const readEnvService: ReadTasks = async ({ config, split, environments }, selection) => {
  const envType = config.string(`${section}.env_type`);
  const splitKey = `${section}.${split}_split`;
  const name = config.string(splitKey);
  if (environments === undefined) throw noService(config.locate(section));
  const ids = await environments.listTasks(envType, name);
  if (ids.length === 0) {
    throw new CodedError({
      code: 'task-reader/no-tasks',
      message: `The environment service has no tasks of "${envType}" in the split "${name}".`,
      location: config.locate(splitKey),
      hint: `Correct env_type or ${split}_split under ${section}. AgentJet rejects an empty list too.`,
    });
  }
  const tasks = ids.map((id) => ({
    main_query: notDefined,
    init_messages: [],
    task_id: pythonValue(id),
    env_type: envType,
    metadata: {},
  }));
  return { tasks: selectTasks(tasks, selection, config.locate(splitKey)), warnings: [] };
};

function noService(location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/no-environments',
    message: 'Cannot list the tasks of an environment service: this reader has no connection to one.',
    location,
    hint: 'Write the tasks to a JSONL file and read them with the type "jsonl_dataset_file".',
  });
}

/**
 * The reader of Trinity-RFT's tasksets with `storage_type: file`. Tasks are the rows of
 * `load_dataset(path, subset_name, split=…)` in their order, with the whole row as `raw_task`. For display, `main_query` is
 * the column `format.prompt_key`, or `Empty`.
 */
const readTaskset: ReadTasks = async (source, selection) => {
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
      ? 'Set buffer.explorer_input.taskset with path and split, or run the evaluation tasks with --split validation (launch.json: split).'
      : 'Add one with path and split, or run the training tasks with --split training (launch.json: split).',
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

/** The readers by `ajet.task_reader.type`. */
const readers: Readonly<Record<string, ReadTasks>> = {
  jsonl_dataset_file: readJsonlSplit,
  env_service: readEnvService,
  huggingface_dat_repo: readHuggingFace,
  random_dummy: readRandomDummy,
  tracing: readTracing,
  data_generation: (source, selection) => readGenerated(source, selection, readTasks),
};

const key = 'ajet.task_reader.type';

/** Reads the tasks with the reader of the config, and warns about equal ids. Throws a CodedError. */
export const readTasks: ReadTasks = async (source, selection) => {
  const type = source.config.string(key);
  const location = source.config.locate(key);
  if (type === tasksetReader) return readTaskset(source, selection);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) throw type === 'deep_finance' ? notOurs(location) : unknownType(type, location);
  const reading = await read(source, selection);
  const ids = reading.ids ?? IdTally.of(reading.tasks);
  const colliding = ids.warning(source.config.locate(`ajet.task_reader.${type}`));
  return colliding === undefined ? reading : { ...reading, warnings: [...reading.warnings, colliding] };
};

function unknownType(type: string, location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/unknown-type',
    message: `The debug backbone does not support the task reader ${JSON.stringify(type)}.`,
    location,
    hint: `It reads ${Object.keys(readers).join(', ')}.`,
  });
}

function notOurs(location: Location): CodedError {
  return new CodedError({
    code: 'task-reader/example-reader',
    message:
      'The debug backbone does not support the task reader "deep_finance", which is Python code of one AgentJet example.',
    location,
    hint: 'Write its tasks to a JSONL file with main_query, init_messages, task_id and metadata. Then use the type "jsonl_dataset_file".',
  });
}
