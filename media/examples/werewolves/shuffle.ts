/**
 * Shuffles in place, the same way for the same seed (0 to 2³² − 1): as `np.random.seed(seed)` and `np.random.shuffle`
 * do with a list, so that a task seats the players here as it does in a Python workflow.
 */
export function shuffle(items: unknown[], seed: number): void {
  const next = mersenneTwister(seed);
  for (let last = items.length - 1; last > 0; last--) {
    const mask = 2 ** (32 - Math.clz32(last)) - 1;
    let other: number;
    do other = next() & mask;
    while (other > last);
    [items[last], items[other]] = [items[other], items[last]];
  }
}

const size = 624;
const middle = 397;

/** MT19937: each call gives the next whole number of 32 bits. */
function mersenneTwister(seed: number): () => number {
  const state = new Uint32Array(size);
  state[0] = seed;
  for (let i = 1; i < size; i++) {
    const before = at(state, i - 1);
    state[i] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + i;
  }
  let position = size;
  return () => {
    if (position === size) {
      twist(state);
      position = 0;
    }
    let word = at(state, position++);
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < size; i++) {
    const joined = (at(state, i) & 0x80000000) | (at(state, i + 1) & 0x7fffffff);
    state[i] = at(state, i + middle) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
  }
}

function at(state: Uint32Array, index: number): number {
  return state[index % size] ?? 0;
}
