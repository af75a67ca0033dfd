import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import type { FileReader, LogLevel } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import type { ReaderTools } from './readerTools.ts';
import type { DataSetPorts } from './data-set/dataSetPorts.ts';
import type { IdTally } from './idTally.ts';

/** Selects the tasks of a data set for a debug run. */
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

/** The environment service of the config. */
export interface TaskListing {
  /** Lists the task ids of a split as the service sends them. Rejects with a CodedError. */
  listTasks(envType: string, split: string): Promise<readonly unknown[]>;
}

/** The input of a task reader. */
export interface TaskSource {
  readonly config: Config;
  readonly split: 'training' | 'validation';
  readonly files: FileReader;
  /** The model that generates and filters tasks. */
  readonly helper: HelperLlm;
  /** Cancels a long read, which rejects with `task-reader/cancelled`. */
  readonly cancellation: CancellationToken;
  /** Reports progress. */
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
