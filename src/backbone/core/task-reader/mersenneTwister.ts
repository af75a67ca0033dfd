/** MT19937, the generator behind Python's `random` and NumPy's `np.random`: the same words for the same seed. */
class MersenneTwister {
  readonly #state = new Uint32Array(stateLength);
  #next = stateLength;

  /** Seeded with one word, as `np.random.seed` does. */
  static ofWord(seed: number): MersenneTwister {
    const made = new MersenneTwister();
    made.#fill(seed);
    return made;
  }

  /** Seeded with the words of a number, the lowest first, as `random.seed` does. */
  static ofWords(words: readonly number[]): MersenneTwister {
    const made = new MersenneTwister();
    made.#fill(19650218);
    made.#mixIn(words);
    return made;
  }

  /** The next 32 bits. */
  word(): number {
    if (this.#next === stateLength) this.#twist();
    let word = this.#state[this.#next++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #fill(seed: number): void {
    let word = seed >>> 0;
    for (let at = 0; at < stateLength; at++) {
      this.#state[at] = word;
      word = (Math.imul(1812433253, word ^ (word >>> 30)) + at + 1) >>> 0;
    }
  }

  #mixIn(words: readonly number[]): void {
    const state = this.#state;
    let at = 1;
    const step = (factor: number, add: number): void => {
      const before = state[at - 1] ?? 0;
      state[at] = ((state[at] ?? 0) ^ Math.imul(before ^ (before >>> 30), factor)) + add;
      at += 1;
      if (at < stateLength) return;
      state[0] = state[stateLength - 1] ?? 0;
      at = 1;
    };
    const rounds = Math.max(stateLength, words.length);
    for (let round = 0; round < rounds; round++) {
      const which = round % words.length;
      step(1664525, (words[which] ?? 0) + which);
    }
    for (let round = 1; round < stateLength; round++) step(1566083941, -at);
    state[0] = 0x80000000;
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

/** A generator that draws what Python's `random.Random(seed)` draws. */
export class PythonRandom {
  readonly #words: MersenneTwister;

  /** @param seed 0 to 2³² − 1 */
  constructor(seed: number) {
    this.#words = MersenneTwister.ofWords([seed]);
  }

  /** Shuffles in place, as `shuffle` does. */
  shuffle(items: unknown[]): void {
    shuffle(items, (last) => this.below(last + 1));
  }

  /** Returns the index that `choice` would select in a list of this length, from 0 to `end` - 1. */
  below(end: number): number {
    // The upper bits of each word; what is too large is thrown away.
    const spare = Math.clz32(end);
    return drawBelow(end, () => this.#words.word() >>> spare);
  }
}

/** Shuffles in place, as `np.random.shuffle` does with a list after `np.random.seed(seed)`. */
export function numpyShuffle(items: unknown[], seed: number): void {
  const words = MersenneTwister.ofWord(seed);
  shuffle(items, (last) => {
    const mask = 2 ** (32 - Math.clz32(last)) - 1;
    return drawBelow(last + 1, () => (words.word() & mask) >>> 0);
  });
}

function shuffle(items: unknown[], upTo: (last: number) => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = upTo(last);
    [items[last], items[other]] = [items[other], items[last]];
  }
}

function drawBelow(end: number, draw: () => number): number {
  for (;;) {
    const value = draw();
    if (value < end) return value;
  }
}
