/**
 * NumPy's legacy generator (MT19937), seeded as `np.random.seed` does with one number: the same draws in the same order.
 */
export class NumpyRandom {
  readonly #state = new Uint32Array(stateLength);
  #next = stateLength;

  /** @param seed 0 to 2³² − 1 */
  constructor(seed: number) {
    let word = seed >>> 0;
    for (let at = 0; at < stateLength; at++) {
      this.#state[at] = word;
      word = (Math.imul(1812433253, word ^ (word >>> 30)) + at + 1) >>> 0;
    }
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
      const value = (this.#word() & mask) >>> 0;
      if (value <= max) return value;
    }
  }

  #word(): number {
    if (this.#next === stateLength) this.#twist();
    let word = this.#state[this.#next++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const state = this.#state;
    const word = (at: number): number => state[at % stateLength] ?? 0;
    for (let at = 0; at < stateLength; at++) {
      const joined = (word(at) & 0x80000000) | (word(at + 1) & 0x7fffffff);
      state[at] = word(at + 397) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}

const stateLength = 624;
