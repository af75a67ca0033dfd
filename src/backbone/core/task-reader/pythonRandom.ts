import { MersenneTwister } from './mersenneTwister.ts';

/** Python's `random.Random(seed)` of a whole number: the same draws in the same order. */
export class PythonRandom {
  readonly #words: MersenneTwister;

  /** @param seed 0 to 2³² − 1 */
  constructor(seed: number) {
    this.#words = MersenneTwister.ofWords([seed]);
  }

  /** Shuffles in place, as `shuffle` does. */
  shuffle(items: unknown[]): void {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [items[last], items[other]] = [items[other], items[last]];
    }
  }

  /** Returns the index that `choice` would select in a list of this length, from 0 to `end` - 1. */
  below(end: number): number {
    // The upper bits of each word; what is too large is thrown away.
    const spare = Math.clz32(end);
    for (;;) {
      const value = this.#words.word() >>> spare;
      if (value < end) return value;
    }
  }
}
