import type { Clock } from '../../src/base/core/ports.ts';

/** A clock that moves only when told to. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; every: number | undefined; run: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): { dispose(): void } {
    return this.#add(milliseconds, undefined, run);
  }

  every(milliseconds: number, run: () => void): { dispose(): void } {
    return this.#add(milliseconds, milliseconds, run);
  }

  /** Runs every timer that comes due on the way, in order. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#now = Math.max(this.#now, due.at);
      this.#fire(due);
    }
    this.#now = end;
  }

  /** Time passes while the process stands still: a timer that came due fires once, late. */
  stall(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers]) if (timer.at <= this.#now) this.#fire(timer);
  }

  #add(milliseconds: number, every: number | undefined, run: () => void): { dispose(): void } {
    const timer = { at: this.#now + milliseconds, every, run };
    this.#timers.add(timer);
    return { dispose: () => this.#timers.delete(timer) };
  }

  #fire(timer: { at: number; every: number | undefined; run: () => void }): void {
    if (timer.every === undefined) this.#timers.delete(timer);
    else timer.at = this.#now + timer.every;
    timer.run();
  }
}
