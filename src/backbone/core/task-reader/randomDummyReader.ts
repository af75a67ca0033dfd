import { NumpyRandom } from './numpyRandom.ts';
import type { ReadTasks } from './taskReader.ts';
import { selectTasks } from './select.ts';

/**
 * The reader of `random_dummy`: upstream's 1000 tasks in upstream's order, the same for training and validation.
 * Throws `task-reader/unknown-task-id`.
 */
export const readRandomDummy: ReadTasks = ({ config }, selection) => {
  const numbers = Array.from({ length: 1000 }, (_, number) => number);
  new NumpyRandom(42).shuffle(numbers);
  const tasks = numbers.map((number) => ({
    main_query: `[dummy task @ ${number}]`,
    init_messages: [],
    task_id: String(number),
    env_type: 'no_env',
    metadata: { random_number: number },
  }));
  const where = config.locate('ajet.task_reader.type');
  return Promise.resolve({ tasks: selectTasks(tasks, selection, where), warnings: [] });
};
