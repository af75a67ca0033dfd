import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { TaskSelection } from './taskReader.ts';

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
