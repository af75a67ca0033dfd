import type { Clock } from '../../../base/core/ports.ts';

export interface Rate {
  /** What may come at once after a rest. */
  readonly burst: number;
  /** What is regained per second. */
  readonly perSecond: number;
}

/** Buckets of tokens by name (an address). Names at rest are forgotten, so that their number stays bounded. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #most: number;
  /** By name, the least recently used first. */
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(rate: Rate, clock: Pick<Clock, 'monotonic'>, most = 10_000) {
    this.#rate = rate;
    this.#clock = clock;
    this.#most = most;
  }

  /** Whether one more is allowed now; it counts. */
  take(name: string): boolean {
    const bucket = this.#bucketOf(name);
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #bucketOf(name: string): { left: number; at: number } {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(name);
    const { burst, perSecond } = this.#rate;
    const left =
      known === undefined ? burst : Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond);
    const bucket = { left, at: now };
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > this.#most) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
