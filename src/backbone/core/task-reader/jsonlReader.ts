import { isRecord } from '../../../base/core/isRecord.ts';
import { CodedError, type Location, messageOf, hasCode } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import type { InitMessage, Task } from '../../../sdk/core/index.ts';
import {
  IdTally,
  requireIds,
  type ReadTasks,
  type TaskReadResult,
  type TaskSelection,
} from './taskReader.ts';

export const readJsonlSplit: ReadTasks = async (source, selection) => {
  const key = `ajet.task_reader.jsonl_dataset_file.${source.split}.file_path`;
  const file = await source.resolveFile(source.config.string(key));
  return readJsonlTasks(file, selection, source.files, source.config.locate(key));
};

/** Number of rows to check after the last one needed. Training reads all rows, but a debug run should not wait for that. */
const checkedRowsBeyond = 20_000;

/**
 * Reads tasks as upstream's `jsonl_dataset_file` reader does, from UTF-8 without blank lines. The defaults are
 * `[not defined]` for `main_query`, [] for `init_messages`, "" for `task_id`, `no_env` for `env_type`, and the whole row for
 * `metadata`. The order is that of the file; upstream shuffles with an unseeded generator, which is not reproducible.
 *
 * Throws `task-reader/…` for a missing file, a broken row among those selected, a file without rows, or an unknown id.
 */
export async function readJsonlTasks(
  file: string,
  selection: TaskSelection,
  files: FileReader,
  /** The location in the config that names the file. */
  namedAt?: Location,
): Promise<TaskReadResult> {
  if (!(await files.exists(file))) throw fileNotFound(file, namedAt);
  const wanted = selection.taskIds === undefined ? undefined : new Set(selection.taskIds);
  const tasks: Task[] = [];
  const warnings: CodedError[] = [];
  const ids = new IdTally();
  let line = 0;
  let rows = 0;
  let beyond = 0;
  let rowsWithoutQuery = 0;
  for await (const text of linesOf(file, files, namedAt)) {
    line += 1;
    if (text.trim() === '') continue;
    rows += 1;
    const enough = wanted === undefined && tasks.length >= selection.first;
    if (enough && ++beyond > checkedRowsBeyond) break;
    const row = parseRow(text, file, line);
    const task = row instanceof CodedError ? row : toTask(row, file, line);
    if (task instanceof CodedError) {
      if (!enough) throw task;
      warnings.push(task);
      break;
    }
    ids.add(task.task_id);
    if (enough || wanted?.has(task.task_id) === false) continue;
    tasks.push(task);
    if (task.main_query === notDefined) rowsWithoutQuery += 1;
  }
  if (rows === 0) throw emptyFile(file);
  requireIds(
    selection,
    tasks.map((task) => task.task_id),
    { file },
  );
  if (rowsWithoutQuery > 0) warnings.push(noQuery(file, rowsWithoutQuery));
  return { tasks, warnings, ids };
}

async function* linesOf(
  file: string,
  files: FileReader,
  namedAt: Location | undefined,
): AsyncGenerator<string> {
  try {
    yield* files.lines(file);
  } catch (error) {
    throw unreadable(file, error, namedAt);
  }
}

export const notDefined = '[not defined]';

type Row = Readonly<Record<string, unknown>>;

function parseRow(text: string, file: string, line: number): Row | CodedError {
  // Some tools start a UTF-8 file with a byte order mark, which JSON does not allow.
  const json = line === 1 ? text.replace(/^\uFEFF/, '') : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const { reason, column } = jsonProblem(messageOf(error));
    return brokenRow(file, line, reason, column);
  }
  return isRecord(value) ? value : brokenRow(file, line, `it is ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : `a ${typeof value}`;
}

/** Splits V8's message, whose line is always the first, into the problem and its column. */
function jsonProblem(message: string): { reason: string; column: number | undefined } {
  const place = / in JSON at position (\d+).*$/.exec(message);
  if (place === null) return { reason: message, column: undefined };
  return { reason: message.slice(0, place.index), column: Number(place[1]) + 1 };
}

function toTask(row: Row, file: string, line: number): Task | CodedError {
  const field = <T>(
    name: string,
    fallback: T,
    fits: (value: unknown) => value is T,
    what: string,
  ): T | CodedError => {
    const value = row[name];
    if (value === undefined || value === null) return fallback;
    return fits(value) ? value : wrongField(file, line, name, what);
  };
  const fields = {
    main_query: field('main_query', notDefined, isString, 'a string'),
    init_messages: field<readonly InitMessage[]>(
      'init_messages',
      [],
      isMessages,
      'a list of {role, content}',
    ),
    task_id: field('task_id', '', isString, 'a string'),
    env_type: field('env_type', 'no_env', isString, 'a string'),
    metadata: field<Row>('metadata', row, isRecord, 'an object'),
  };
  const wrong = Object.values(fields).find((value) => value instanceof CodedError);
  return wrong ?? (fields as Task);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isMessages(value: unknown): value is readonly InitMessage[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && isString(item['role']));
}

function fileNotFound(file: string, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-reader/file-not-found',
    message: `The data set ${file} does not exist.`,
    ...(location && { location }),
    hint: 'Correct file_path under ajet.task_reader.jsonl_dataset_file. It is relative to the working directory, then to the folder of the config.',
  });
}

function unreadable(file: string, cause: unknown, namedAt: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-reader/unreadable',
    message: `The data set ${file} cannot be read: ${messageOf(cause)}.`,
    ...(namedAt && { location: namedAt }),
    hint: 'Set file_path under ajet.task_reader.jsonl_dataset_file to a JSONL file that you can read.',
    cause,
  });
}

function emptyFile(file: string): CodedError {
  return new CodedError({
    code: 'task-reader/no-tasks',
    message: 'The data set has no rows.',
    location: { file },
    hint: 'Write one JSON object per line. AgentJet rejects an empty data set too.',
  });
}

function brokenRow(file: string, line: number, reason: string, column?: number): CodedError {
  return new CodedError({
    code: 'task-reader/broken-jsonl',
    message: `Line ${line} is not a JSON object: ${reason}.`,
    location: { file, line, column },
    hint: 'Fix or remove the line. Training reads the whole file and would fail here.',
  });
}

function wrongField(file: string, line: number, name: string, what: string): CodedError {
  return new CodedError({
    code: 'task-reader/wrong-field',
    message: `"${name}" in line ${line} is not ${what}.`,
    location: { file, line },
    hint: `Make "${name}" ${what}, or remove it. Training rejects the row too.`,
  });
}

function noQuery(file: string, rows: number): CodedError {
  return new CodedError({
    code: 'task-reader/no-main-query',
    message: `${rows} of the selected tasks have no "main_query". It becomes "${notDefined}", as in training.`,
    location: { file },
    hint: 'Rename the field with the question to "main_query", or read it from task.metadata in the workflow.',
  });
}

/** Formats tasks like upstream's own JSONL files, one per line. */
export function taskLines(tasks: readonly Task[]): string {
  return tasks
    .map(({ main_query, init_messages, task_id, env_type, metadata }) =>
      JSON.stringify({ main_query, init_messages, task_id, env_type, metadata }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Reads such a file. A missing or empty file has no tasks. Throws `task-reader/…` for an invalid line. */
export async function readTaskLines(file: string, files: FileReader): Promise<readonly Task[]> {
  if (!(await files.exists(file))) return [];
  try {
    return (await readJsonlTasks(file, { first: Infinity }, files)).tasks;
  } catch (error) {
    if (hasCode(error, 'task-reader/no-tasks')) return [];
    throw error;
  }
}
