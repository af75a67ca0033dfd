import { MersenneTwister } from './mersenneTwister.ts';

/** NumPy's legacy generator, seeded as `np.random.seed` does with one number: the same draws in the same order. */
export class NumpyRandom {
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
