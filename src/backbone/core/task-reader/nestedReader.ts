import { CodedError } from '../../../base/core/errors.ts';
import { Config } from '../../../configs/core/effectiveConfig.ts';
import type { MappingValue } from '../../../configs/core/value.ts';
import type { ReadTasks, TaskReadResult, TaskSource } from './taskReader.ts';

/** Returns a config whose task reader is another section of `config`. */
export function nestedConfig(config: Config, section: MappingValue): Config {
  const within = (name: string, value: MappingValue): MappingValue => ({
    kind: 'mapping',
    entries: new Map([[name, value]]),
    origin: section.origin,
  });
  return new Config(config.file, within('ajet', within('task_reader', section)));
}

/** The location of a nested reader's keys. */
export interface NestedKeys {
  /** Dotted. */
  readonly section: string;
  /** The name of the `type` key in the section. */
  readonly type: string;
}

/** Reads all training tasks of a {@link nestedConfig}. Equal ids need no warning: training does not group by them. */
export async function readNested(
  source: TaskSource,
  keys: NestedKeys,
  read: ReadTasks,
): Promise<TaskReadResult> {
  try {
    const { tasks, warnings } = await read({ ...source, split: 'training' }, { first: Infinity });
    const others = warnings.filter(({ code }) => code !== 'task-reader/duplicate-task-id');
    return { tasks, warnings: others.map((warning) => inSection(warning, keys)) };
  } catch (error) {
    throw error instanceof CodedError ? inSection(error, keys) : error;
  }
}

/** Returns the error with the real path of the keys that the nested reader names. */
function inSection(error: CodedError, { section, type }: NestedKeys): CodedError {
  const rename = (text: string): string =>
    text
      .replaceAll(/ajet\.task_reader\.type\b/g, `${section}.${type}`)
      .replaceAll(/ajet\.task_reader\.(?!data_generation)/g, `${section}.`);
  const { code, message, location, hint } = error;
  const renamed = { code, message: rename(message), location, hint: hint && rename(hint) };
  return new CodedError({ ...renamed, cause: error });
}
