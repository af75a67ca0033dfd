/** Milliseconds that others wait at most. */
const slice = 5;

/**
 * Gives others a turn now and then. Thousands of small calls to the file system take a fraction of the time when they are
 * made one after the other, without a promise for each.
 */
export class Slices {
  #since = performance.now();

  /** Undefined: there is time left. */
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
