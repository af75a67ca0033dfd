/** A cache of computed values that keeps the most recently used keys. */
export class LruCache<K, T> {
  readonly #capacity: number;
  readonly #entries = new Map<K, T>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param isCurrent returns true if a cached value is still valid; default: always */
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
