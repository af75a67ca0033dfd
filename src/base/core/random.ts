/** Returns hexadecimal digits that depend on the whole text. */
export function hashDigits(text: string, length: number): string {
  let digits = '';
  for (let part = 0; digits.length < length; part++) {
    digits += hashText(`${String(part)}\u0000${text}`)
      .toString(16)
      .padStart(14, '0')
      .slice(2);
  }
  return digits.slice(0, length);
}

/** Random numbers that are a function of a key: the same key gives the same sequence (mulberry32). */
export class Random {
  #state: number;

  constructor(key: string) {
    this.#state = hashText(key) >>> 0;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Returns an integer in [0, end). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new RangeError('Cannot pick from an empty list.');
    return item;
  }
}

/** A 53-bit hash of a text (cyrb53): well spread, not cryptographic. */
export function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
