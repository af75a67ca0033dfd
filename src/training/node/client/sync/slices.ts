/** The longest time that other work waits, in milliseconds. */
const slice = 5;

/**
 * Yields to the event loop at intervals. Many small synchronous file system calls are much faster than one promise
 * for each.
 */
export class Slices {
  #since = performance.now();

  /** Returns a promise if it is time to yield. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < slice) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
