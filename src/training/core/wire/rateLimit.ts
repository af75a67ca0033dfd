import type { Clock } from '../../../base/core/ports.ts';

export interface Rate {
  /** The number of requests allowed at once after a pause. */
  readonly burst: number;
  /** The number of requests allowed per second after that. */
  readonly perSecond: number;
}

/** Token buckets by name (an address). Unused names are removed, so that their number is limited. */
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

  /** Returns true if one more request is allowed now, and counts it. */
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
