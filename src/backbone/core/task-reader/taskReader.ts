import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { FileReader, LogLevel, Clock, PathRules } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import type { DataSetPorts } from './data-set/table.ts';

/** The highest number of ids to count, which limits the memory for a huge data set. */
const distinctLimit = 200_000;

export class IdTally {
  readonly #counts = new Map<string, number>();
  #tasks = 0;

  static of(tasks: readonly { readonly task_id: string }[]): IdTally {
    const tally = new IdTally();
    for (const task of tasks) tally.add(task.task_id);
    return tally;
  }

  add(id: string): void {
    this.#tasks += 1;
    const before = this.#counts.get(id);
    if (before !== undefined) this.#counts.set(id, before + 1);
    else if (this.#counts.size < distinctLimit) this.#counts.set(id, 1);
  }

  /** Returns one warning for all ids that occur more than once. */
  warning(location: Location): CodedError | undefined {
    const shared = [...this.#counts].filter(([, count]) => count > 1);
    const [first] = shared.sort(([, a], [, b]) => b - a);
    if (first === undefined) return undefined;
    const [id, count] = first;
    const tasks = shared.reduce((sum, [, one]) => sum + one, 0);
    const example = id === '' ? `${count} have none` : `${count} have ${JSON.stringify(id)}`;
    return new CodedError({
      code: 'task-reader/duplicate-task-id',
      message: `${tasks} of the ${this.#tasks} tasks share their task_id with another task (${example}). In verl, tasks with the same id share advantages and count once for pass@n.`,
      location,
      hint: 'Give every task a unique task_id.',
    });
  }
}

export interface TaskSelection {
  /** The number of tasks from the first row. */
  readonly first: number;
  /** If given, exactly the tasks with these ids, in the order of the data set. */
  readonly taskIds?: readonly string[] | undefined;
}

export interface TaskReadResult {
  readonly tasks: readonly Task[];
  /** Problems that do not stop this run, for example those that training would fail with. */
  readonly warnings: readonly CodedError[];
  /** The ids of all rows read, if there are more rows than tasks. */
  readonly ids?: IdTally;
}

export interface TaskListing {
  /** Lists the task ids of a split as the service sends them. Rejects with a CodedError. */
  listTasks(envType: string, split: string): Promise<readonly unknown[]>;
}

export interface TaskSource {
  readonly config: Config;
  readonly split: 'training' | 'validation';
  readonly files: FileReader;
  /** The model that generates and filters tasks. */
  readonly helper: HelperLlm;
  /** Cancels a long read, which rejects with `task-reader/cancelled`. */
  readonly cancellation: CancellationToken;
  readonly log: (level: LogLevel, message: string) => void;
  /** Returns the absolute path of a file in the config. */
  resolveFile(path: string): Promise<string>;
  readonly tools: ReaderTools;
  /** Without it, only text formats can be read. */
  readonly dataSets?: DataSetPorts | undefined;
  /** Without it, no environment service is available. */
  readonly environments?: TaskListing | undefined;
}

/** Reads tasks of one `ajet.task_reader.type`. Throws a CodedError `task-reader/…`. */
export type ReadTasks = (source: TaskSource, selection: TaskSelection) => Promise<TaskReadResult>;

/** Returns the tasks of a data set that a run takes. Throws `task-reader/unknown-task-id`. */
export function selectTasks(
  tasks: readonly Task[],
  selection: TaskSelection,
  /** The location in the config that names the data set. */
  where: Location,
): readonly Task[] {
  if (selection.taskIds === undefined) return tasks.slice(0, selection.first);
  const wanted = new Set(selection.taskIds);
  const taken = tasks.filter((task) => wanted.has(task.task_id));
  requireIds(
    selection,
    taken.map((task) => task.task_id),
    where,
  );
  return taken;
}

/** Throws `task-reader/unknown-task-id` if a selected id does not exist. */
export function requireIds(selection: TaskSelection, ids: readonly string[], where: Location): void {
  const found = new Set(ids);
  const missing = [...new Set(selection.taskIds)].filter((id) => !found.has(id));
  if (missing.length === 0) return;
  throw new CodedError({
    code: 'task-reader/unknown-task-id',
    message: `No row has the task_id ${missing.map((id) => JSON.stringify(id)).join(', ')}.`,
    location: where,
    hint: 'Select ids that the data set has, or select no ids to run the first tasks.',
  });
}

/** Throws `task-reader/cancelled` if the run is canceled. */
export function throwIfCancelled(cancellation: CancellationToken): void {
  if (!cancellation.isCancelled) return;
  throw new CodedError({
    code: 'task-reader/cancelled',
    message: 'The run was canceled while it read tasks.',
  });
}

/** An OpenAI-compatible `/embeddings`. */
export interface EmbeddingEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** System services for readers that generate tasks or do not read them from a text file. */
export interface ReaderTools {
  /** The base of upstream's relative paths. */
  readonly cwd: string;
  readonly paths: PathRules;
  readonly clock: Pick<Clock, 'after'>;
  readonly seed: number;
  /** Hexadecimal digits. A text is hashed as UTF-8. */
  digest(algorithm: 'md5' | 'sha256', content: string | Uint8Array): string;
  readBytes(file: string): Promise<Uint8Array>;
  /** Creates the folder, and replaces an existing file. */
  writeText(file: string, text: string): Promise<void>;
  appendText(file: string, text: string): Promise<void>;
  /** Returns the attributes of these spans of a SQLite file, in table order. Rejects with SQLite's error. */
  readSpans(file: string, name: string): Promise<readonly unknown[]>;
  /** Returns the text of each page of a PDF. Rejects if it cannot be parsed. */
  readPdf(content: Uint8Array): Promise<readonly string[]>;
  /** Sends one request. Rejects with the error. */
  embed(
    endpoint: EmbeddingEndpoint,
    text: string,
    cancellation: CancellationToken,
  ): Promise<readonly number[]>;
  /** The value of `DASHSCOPE_API_KEY`; undefined if it is not set or must not be read. */
  readonly embeddingKey: string | undefined;
  newUuid(): string;
}
