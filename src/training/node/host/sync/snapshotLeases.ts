import { open, stat, utimes } from 'node:fs/promises';
import type { Clock } from '../../../../base/core/ports.ts';

/** Longer than a sync takes, from the first answer that something is there to the run that needs it; milliseconds. */
export const leaseTime = 24 * 3_600_000;
/** Milliseconds between two notes. */
const noteInterval = 60_000;

/**
 * Until when things stay that no run needs: clients were told that they are there, and may be about to start a run with
 * them. Of each that this process has told of it knows the time; of all others the marker's time stands, at which an earlier
 * process last told of any.
 */
export class SnapshotLeases {
  readonly #marker: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** When what an earlier process has told of was claimed, at the latest. */
  readonly before: number;
  #noted = -Infinity;
  #noting: Promise<void> | undefined;

  private constructor(marker: string, clock: Pick<Clock, 'now' | 'monotonic'>, age: number) {
    this.#marker = marker;
    this.#clock = clock;
    this.before = clock.monotonic() - age;
  }

  static async open(marker: string, clock: Pick<Clock, 'now' | 'monotonic'>): Promise<SnapshotLeases> {
    const noted = await stat(marker).catch(() => undefined);
    // A clock that was set back has it in the future.
    const age = noted === undefined ? 0 : Math.max(0, clock.now() - noted.mtimeMs - noteInterval);
    const leases = new SnapshotLeases(marker, clock, age);
    if (noted === undefined) await leases.note();
    return leases;
  }

  /** The time of a claim, by which {@link isOver} goes. */
  get now(): number {
    return this.#clock.monotonic();
  }

  isOver(claimedAt: number): boolean {
    return this.now - claimedAt > leaseTime;
  }

  /** Before a client is told: for the process that may come after this one. */
  async note(): Promise<void> {
    if (this.now - this.#noted < noteInterval) return;
    await (this.#noting ??= this.#note().finally(() => (this.#noting = undefined)));
  }

  async #note(): Promise<void> {
    const noted = this.now;
    const seconds = this.#clock.now() / 1_000;
    await (await open(this.#marker, 'a')).close();
    await utimes(this.#marker, seconds, seconds);
    this.#noted = noted;
  }
}
