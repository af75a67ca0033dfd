import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import type { FileReader, LogLevel } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import type { ReaderTools } from './readerTools.ts';
import type { DataSetPorts } from './data-set/dataSetPorts.ts';
import type { IdTally } from './idTally.ts';

/** Which tasks of a data set a debug run takes. */
export interface TaskSelection {
  /** From the first row on. */
  readonly first: number;
  /** When given, exactly the tasks with these ids, in the data set's order, wherever they stand. */
  readonly taskIds?: readonly string[] | undefined;
}

export interface TaskReadResult {
  readonly tasks: readonly Task[];
  /** What training would trip over, or what a reader should know, that does not keep this run from going. */
  readonly warnings: readonly CodedError[];
  /** Of all rows that were looked at, where they are more than the tasks taken. */
  readonly ids?: IdTally;
}

/** The environment service of the config. */
export interface TaskListing {
  /** The ids of a split's tasks, as the service writes them. Rejects with a CodedError. */
  listTasks(envType: string, split: string): Promise<readonly unknown[]>;
}

/** What a reader reads from. */
export interface TaskSource {
  readonly config: Config;
  readonly split: 'training' | 'validation';
  readonly files: FileReader;
  /** The large model that generates and filters tasks. */
  readonly helper: HelperLlm;
  /** Ends a reading that takes long; it rejects with `task-reader/cancelled`. */
  readonly cancellation: CancellationToken;
  /** Progress, for who waits. */
  readonly log: (level: LogLevel, message: string) => void;
  /** A path of the config's, made absolute. */
  resolveFile(path: string): Promise<string>;
  readonly tools: ReaderTools;
  /** Absent: only texts can be read. */
  readonly dataSets?: DataSetPorts | undefined;
  /** Absent: no service can be asked. */
  readonly environments?: TaskListing | undefined;
}

/** Reads tasks of one `ajet.task_reader.type`. Throws a CodedError `task-reader/…`. */
export type ReadTasks = (source: TaskSource, selection: TaskSelection) => Promise<TaskReadResult>;
