import type { ReadTasks } from './taskReader.ts';
import { selectTasks } from './select.ts';
import { MersenneTwister } from './mersenneTwister.ts';

/** NumPy's legacy generator, seeded as `np.random.seed` does with one number: the same draws in the same order. */
class NumpyRandom {
  readonly #words: MersenneTwister;

  /** @param seed 0 to 2³² − 1 */
  constructor(seed: number) {
    this.#words = MersenneTwister.ofWord(seed);
  }

  /** Shuffles in place, as `np.random.shuffle` does with a list. */
  shuffle(items: unknown[]): void {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.#upTo(last);
      [items[last], items[other]] = [items[other], items[last]];
    }
  }

  /** A whole number from 0 to `max`, that included: draws are masked, and those above it thrown away. */
  #upTo(max: number): number {
    const mask = 2 ** (32 - Math.clz32(max)) - 1;
    for (;;) {
      const value = (this.#words.word() & mask) >>> 0;
      if (value <= max) return value;
    }
  }
}

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
