/** Something that holds a resource until it is told to let go; disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(release: () => void): Disposable {
  let done = false;
  return {
    dispose: () => {
      if (done) return;
      done = true;
      release();
    },
  };
}

/**
 * Owns disposables: releases them in reverse order, survives one that throws (the first error is rethrown at
 * the end) and releases at once what is added after the store itself was disposed.
 */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  defer(release: () => void): void {
    this.add(toDisposable(release));
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const items = this.#items.reverse();
    this.#items = [];
    const errors: unknown[] = [];
    for (const item of items) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
