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
      message: `${tasks} of the ${this.#tasks} tasks share their task_id with another task (${example}). In verl, tasks with the same id share advantages and count once for pass@n.`,
      location,
      hint: 'Give every task a unique task_id.',
    });
  }
}
