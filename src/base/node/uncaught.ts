import process from 'node:process';
import { toDisposable, type Disposable } from '../core/disposable.ts';

/**
 * Collects uncaught exceptions and unhandled rejections of user code. They end the episode if exactly one is running;
 * otherwise their episode is unknown.
 */
export class UncaughtErrors {
  readonly #episodes = new Set<(error: unknown) => void>();
  readonly #onNobodys: (error: unknown) => void;

  /** @param onNobodys called for errors whose episode is unknown */
  constructor(onNobodys: (error: unknown) => void) {
    this.#onNobodys = onNobodys;
    process.on('uncaughtException', (error: unknown) => this.take(error));
    process.on('unhandledRejection', (error: unknown) => this.take(error));
  }

  take(error: unknown): void {
    const [only, ...others] = this.#episodes;
    if (only !== undefined && others.length === 0) only(error);
    else this.#onNobodys(error);
  }

  readonly onUncaught = (listener: (error: unknown) => void): Disposable => {
    const own = (error: unknown): void => listener(error);
    this.#episodes.add(own);
    return toDisposable(() => this.#episodes.delete(own));
  };
}
