import { DisposableStore, toDisposable, type Disposable } from './disposable.ts';
import type { Clock } from './ports.ts';

/** A cancellation token without platform types. Callers convert it to an `AbortSignal` if they need one. */
export interface CancellationToken {
  readonly isCancelled: boolean;
  /** Calls the listener once on cancellation, or synchronously if it is already canceled. */
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

/** A token that is canceled some time after another one. Disposing it ends its timer. */
export class DelayedCancellation implements Disposable {
  readonly #source = new CancellationSource();
  readonly #timers = new DisposableStore();
  readonly token = this.#source.token;

  constructor(first: CancellationToken, milliseconds: number, clock: Pick<Clock, 'after'>) {
    const begin = (): void => void this.#timers.add(clock.after(milliseconds, () => this.#source.cancel()));
    this.#timers.add(first.onCancelled(begin));
  }

  dispose(): void {
    this.#timers.dispose();
  }
}

/** Resolves to true after `milliseconds`, or to false as soon as it is canceled. */
export function waitFor(
  milliseconds: number,
  clock: Pick<Clock, 'after'>,
  cancellation: CancellationToken,
): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new DisposableStore();
    const end = (isOver: boolean): void => {
      stop.dispose();
      resolve(isOver);
    };
    stop.add(clock.after(milliseconds, () => end(true)));
    stop.add(cancellation.onCancelled(() => end(false)));
  });
}
