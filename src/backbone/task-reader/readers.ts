import { CodedError } from '../../base/errors.ts';
import { readJsonlSplit } from './jsonlReader.ts';
import type { ReadTasks } from './taskReader.ts';

/** By `ajet.task_reader.type`. */
const readers: Readonly<Record<string, ReadTasks>> = {
  jsonl_dataset_file: readJsonlSplit,
};

const key = 'ajet.task_reader.type';

/** The tasks that the config's reader gives. Throws a CodedError. */
export const readTasks: ReadTasks = (source, selection) => {
  const type = source.config.string(key);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read !== undefined) return read(source, selection);
  throw new CodedError({
    code: 'task-reader/unknown-type',
    message: `The debug backbone does not read tasks of type ${JSON.stringify(type)}.`,
    location: source.config.locate(key),
    hint: `It reads ${Object.keys(readers).join(', ')}.`,
  });
};
