import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';

const tick = 100;
/** A longer gap means that the process was suspended, at a breakpoint or because the machine slept. */
const longestCounted = 2 * tick;

/** Measures time without that in which this process was suspended, or `isHeld` says that a debugger holds another one. */
export class RunningTime implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #isHeld: () => boolean;
  readonly #ticking: Disposable;
  #milliseconds = 0;
  #last: number;

  /** @param onTick called ten times per second */
  constructor(
    clock: Pick<Clock, 'monotonic' | 'every'>,
    isHeld: () => boolean = () => false,
    onTick: () => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#isHeld = isHeld;
    this.#last = clock.monotonic();
    this.#ticking = clock.every(tick, () => {
      this.#count();
      onTick();
    });
  }

  get seconds(): number {
    this.#count();
    return this.#milliseconds / 1000;
  }

  dispose(): void {
    this.#ticking.dispose();
  }

  #count(): void {
    const now = this.#clock.monotonic();
    if (!this.#isHeld()) this.#milliseconds += Math.min(now - this.#last, longestCounted);
    this.#last = now;
  }
}

/** Calls `run` after a running time. */
export function afterRunningTime(
  clock: Clock,
  seconds: number,
  run: () => void,
  isHeld?: () => boolean,
): Disposable {
  const time = new RunningTime(clock, isHeld, () => {
    if (time.seconds < seconds) return;
    time.dispose();
    run();
  });
  return time;
}
