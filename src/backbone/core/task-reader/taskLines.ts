import { CodedError } from '../../../base/core/errors.ts';
import type { FileReader } from '../../../base/core/ports.ts';
import type { Task } from '../../../sdk/core/index.ts';
import { readJsonlTasks } from './jsonlReader.ts';

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
    if (error instanceof CodedError && error.code === 'task-reader/no-tasks') return [];
    throw error;
  }
}
