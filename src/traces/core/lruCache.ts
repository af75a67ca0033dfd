/** A cache of computed values that keeps the keys that were used last. */
export class LruCache<K, T> {
  readonly #capacity: number;
  readonly #entries = new Map<K, T>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param isCurrent returns whether a cached value is still valid; default: it always is */
  get(key: K, compute: () => T, isCurrent: (cached: T) => boolean = () => true): T {
    const cached = this.#entries.get(key);
    const value = cached !== undefined && isCurrent(cached) ? cached : compute();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(oldest);
    }
    return value;
  }
}
