/** What was worked out, of the keys that were last asked for. */
export class Newest<K, T> {
  readonly #most: number;
  readonly #known = new Map<K, T>();

  /** @param most how many are remembered */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param isCurrent whether what is known still holds; default: it always does */
  get(key: K, work: () => T, isCurrent: (known: T) => boolean = () => true): T {
    const known = this.#known.get(key);
    const value = known !== undefined && isCurrent(known) ? known : work();
    this.#known.delete(key);
    this.#known.set(key, value);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#most) break;
      this.#known.delete(oldest);
    }
    return value;
  }
}
