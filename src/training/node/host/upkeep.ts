import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import { toReport } from '../../../base/core/errors.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import type { NodeHostRuns } from './runs/hostRuns.ts';
import type { OpenHostSync } from './sync/hostSync.ts';

export interface UpkeepOptions {
  readonly runs: Pick<NodeHostRuns, 'snapshots' | 'onRemoved'>;
  readonly sync: Pick<OpenHostSync, 'collect'>;
  readonly clock: Pick<Clock, 'every'>;
  readonly logger: Logger;
}

/** Milliseconds between two collections of data from syncs without a run. */
const interval = 3_600_000;

/** Removes code that no run needs: at the start, after a run is removed, and at intervals. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #closing = new CancellationSource();
  readonly #listening: readonly Disposable[];
  #working: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    const collect = (): void => this.#collect();
    this.#listening = [options.runs.onRemoved(collect), options.clock.every(interval, collect)];
    this.#collect();
  }

  async close(): Promise<void> {
    for (const one of this.#listening) one.dispose();
    this.#closing.cancel();
    await this.#working;
  }

  #collect(): void {
    if (this.#closing.token.isCancelled) return;
    if (this.#working !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#working = this.#collectOnce().finally(() => {
      this.#working = undefined;
      const isAskedAgain = this.#isAskedAgain;
      this.#isAskedAgain = false;
      if (isAskedAgain) this.#collect();
    });
  }

  async #collectOnce(): Promise<void> {
    const { runs, sync, logger } = this.#options;
    const needed = runs.snapshots();
    // A run with an unreadable record may need any code.
    if (needed === undefined) return;
    try {
      await sync.collect(needed, this.#closing.token);
    } catch (error) {
      const { message } = toReport(error, 'host/upkeep');
      logger.log('warn', `Cannot remove code that no run uses: ${message}`);
    }
  }
}
