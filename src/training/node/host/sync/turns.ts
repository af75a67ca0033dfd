/** Who puts a file in its place and who removes it, one at a time for each name. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** `work` begins once all that was to be done there before has ended, however it ended. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const working = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const ended = working.then(
      () => undefined,
      () => undefined, // whoever asked for it is told
    );
    this.#last.set(name, ended);
    try {
      return await working;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}
