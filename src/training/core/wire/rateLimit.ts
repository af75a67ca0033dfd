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
  readonly #buckets = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(rate: Rate, clock: Pick<Clock, 'monotonic'>, most = 10_000) {
    this.#rate = rate;
    this.#clock = clock;
    this.#most = most;
  }

  /** Returns true if one more request is allowed now, and counts it. */
  take(name: string): boolean {
    const now = this.#clock.monotonic();
    const known = this.#buckets.get(name);
    const { burst, perSecond } = this.#rate;
    const left =
      known === undefined ? burst : Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond);
    const isAllowed = left >= 1;
    this.#buckets.delete(name);
    this.#buckets.set(name, { left: isAllowed ? left - 1 : left, at: now });
    const [oldest = ''] = this.#buckets.keys();
    if (this.#buckets.size > this.#most) this.#buckets.delete(oldest);
    return isAllowed;
  }
}
