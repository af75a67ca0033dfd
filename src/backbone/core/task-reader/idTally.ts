import { CodedError, type Location } from '../../../base/core/errors.ts';

/** The highest number of ids to count, which limits the memory for a huge data set. */
const distinctLimit = 200_000;

/** Counts how often each `task_id` occurs. */
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
      message: `${tasks} of the ${this.#tasks} tasks read share their task_id with another one (${example}). verl finds the task of a sample by this id: tasks that share one become one advantage group, and pass@n counts them as one.`,
      location,
      hint: 'Give every task a task_id of its own.',
    });
  }
}
