import process from 'node:process';
import { toDisposable, type Disposable } from '../core/disposable.ts';

/**
 * Errors of the user's code that no promise carries to us: a throw in a timer or an event listener, a rejection that
 * nobody awaits. They end the episode that runs; where several run, nothing tells whose they are.
 */
export class UncaughtErrors {
  readonly #episodes = new Set<(error: unknown) => void>();
  readonly #onNobodys: (error: unknown) => void;

  /** @param onNobodys hears of errors that cannot be laid at one episode's door */
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
