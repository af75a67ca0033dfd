/** Seeded strings; test/tools/vectors/strings.py makes the same ones. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Kind = 'words' | 'signs' | 'spaces' | 'numbers' | 'math' | 'code' | 'emoji' | 'marks' | 'specials';

interface Pools extends Record<Kind, readonly string[]> {
  readonly ranges: readonly (readonly [number, number])[];
  readonly kinds: readonly (Kind | 'ranges')[];
}

const poolsFile = path.join(import.meta.dirname, '../../../tools/vectors/pools.json');
const pools = JSON.parse(readFileSync(poolsFile, 'utf8')) as Pools;

/** mulberry32 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  }

  choose<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  }
}

function piece(random: Random): string {
  const kind = random.choose(pools.kinds);
  if (kind === 'ranges') {
    const [first, last] = random.choose(pools.ranges);
    return String.fromCodePoint(first + random.below(last - first + 1));
  }
  const text = random.choose(pools[kind]);
  // Words mostly stand apart.
  return kind === 'words' && random.below(4) !== 0 ? ` ${text}` : text;
}

/** The string of this number: up to 16 pieces, now and then one of them many times. */
export function seededString(seed: number): string {
  const random = new Random(seed);
  let text = '';
  for (let left = random.below(17); left > 0; left--) {
    const one = piece(random);
    text += random.below(40) === 0 ? one.repeat(2 + random.below(30)) : one;
  }
  return text;
}
