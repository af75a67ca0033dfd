import { CodedError, type Location } from '../../../base/core/errors.ts';
import { tasksetReader } from '../../../configs/core/trinity/trinityRun.ts';
import { readEnvService } from './envServiceReader.ts';
import { readGenerated } from './generation/generationReader.ts';
import { readHuggingFace } from './huggingFaceReader.ts';
import { IdTally } from './idTally.ts';
import { readJsonlSplit } from './jsonlReader.ts';
import { readRandomDummy } from './randomDummyReader.ts';
import type { ReadTasks } from './taskReader.ts';
import { readTracing } from './tracing/tracingReader.ts';
import { readTaskset } from './trinityReader.ts';

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
