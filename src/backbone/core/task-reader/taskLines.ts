import { CodedError } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { readJsonlTasks } from './jsonlReader.ts';

/** Tasks as upstream writes them to its own JSONL files, one a line. */
export function taskLines(tasks: readonly Task[]): string {
  return tasks
    .map(({ main_query, init_messages, task_id, env_type, metadata }) =>
      JSON.stringify({ main_query, init_messages, task_id, env_type, metadata }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** The tasks of such a file; none where it is not there or empty. Throws `task-reader/…` for a broken line. */
export async function readTaskLines(file: string, files: FileReader): Promise<readonly Task[]> {
  if (!(await files.exists(file))) return [];
  try {
    return (await readJsonlTasks(file, { first: Infinity }, files)).tasks;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'task-reader/no-tasks') return [];
    throw error;
  }
}
