import process from 'node:process';
import { toDisposable, type Disposable } from '../core/disposable.ts';

/**
 * Collects uncaught exceptions and unhandled rejections of user code. They end the episode if exactly one is running;
 * otherwise their episode is unknown.
 */
export class UncaughtErrors {
  /** Promises of code that {@link run} runs, with what takes their errors. */
  readonly #unhandled = new WeakMap<Promise<unknown>, (error: unknown) => void>();
  readonly #episodes = new Set<(error: unknown) => void>();
  readonly #onNobodys: (error: unknown) => void;

  /** @param onNobodys called for errors whose episode is unknown */
  constructor(onNobodys: (error: unknown) => void) {
    this.#onNobodys = onNobodys;
    process.on('uncaughtException', (error: unknown) => this.take(error));
    process.on('unhandledRejection', (error: unknown, promise: Promise<unknown>) =>
      (this.#unhandled.get(promise) ?? ((own) => this.take(own)))(error),
    );
  }

  /**
   * Runs code of the user so that a debugger takes its errors for uncaught, and can stop where they are thrown. Debuggers
   * predict this from what waits for a promise, so nothing here handles the rejection.
   */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // In a separate task. Callers on the stack count as handlers, too.
      setImmediate(() => {
        this.#unhandled.set((async () => resolve(await work()))(), reject);
      });
    });
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
