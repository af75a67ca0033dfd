import { toDisposable, type Disposable } from './disposable.ts';

/** Cancellation without a platform type: an `AbortSignal` is made from it where one is needed. */
export interface CancellationToken {
  readonly isCancelled: boolean;
  /** Runs once, on cancellation; at once (synchronously) when that has already happened. */
  onCancelled(listener: () => void): Disposable;
}

export class CancellationSource {
  readonly #listeners = new Set<() => void>();
  #cancelled = false;

  readonly token: CancellationToken = {
    isCancelled: false,
    onCancelled: (listener) => {
      if (this.#cancelled) {
        listener();
        return toDisposable(() => undefined);
      }
      const own = (): void => listener();
      this.#listeners.add(own);
      return toDisposable(() => this.#listeners.delete(own));
    },
  };

  constructor(parent?: CancellationToken) {
    Object.defineProperty(this.token, 'isCancelled', { get: () => this.#cancelled });
    parent?.onCancelled(() => this.cancel());
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

export const neverCancelled: CancellationToken = new CancellationSource().token;
