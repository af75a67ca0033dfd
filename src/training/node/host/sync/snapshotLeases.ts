import { lstat, open, rm, utimes } from 'node:fs/promises';
import type { Clock } from '../../../../base/core/ports.ts';

/** Milliseconds that data stays without a run: from the first request of a sync to the start of its run. */
export const leaseTime = 24 * 3_600_000;
/** Milliseconds between two updates of the marker. */
const noteInterval = 60_000;

/**
 * Leases on snapshots and contents that no run needs yet. A client that knows them may be about to start a run.
 * The time of each lease is in memory. For leases of an earlier process, the time of a marker file counts.
 */
export class SnapshotLeases {
  readonly #marker: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The latest time of a lease from an earlier process. */
  readonly before: number;
  #noted = -Infinity;
  #noting: Promise<void> | undefined;

  private constructor(marker: string, clock: Pick<Clock, 'now' | 'monotonic'>, age: number) {
    this.#marker = marker;
    this.#clock = clock;
    this.before = clock.monotonic() - age;
  }

  static async open(marker: string, clock: Pick<Clock, 'now' | 'monotonic'>): Promise<SnapshotLeases> {
    const found = await lstat(marker).catch(() => undefined);
    const noted = found?.isFile() === true ? found : undefined;
    if (found !== undefined && noted === undefined) await rm(marker, { recursive: true });
    // After a clock was set back, the marker is in the future.
    const age = noted === undefined ? 0 : Math.max(0, clock.now() - noted.mtimeMs - noteInterval);
    const leases = new SnapshotLeases(marker, clock, age);
    // Without it, this process knows its leases all the same.
    if (noted === undefined) await leases.note().catch(() => undefined);
    return leases;
  }

  /** The time of a new lease, for {@link isOver}. */
  get now(): number {
    return this.#clock.monotonic();
  }

  isOver(claimedAt: number): boolean {
    return this.now - claimedAt > leaseTime;
  }

  /** Updates the marker before the host answers a client, for the next process. */
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
