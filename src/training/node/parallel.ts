/** Runs work in the background, `parallel` at a time. After a failure no further work starts. */
export class WorkPool {
  readonly #parallel: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(parallel: number) {
    this.#parallel = parallel;
  }

  /** Resolves when the work has started. Rejects with an earlier failure. */
  async start(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#parallel) await Promise.race(this.#running);
    this.#throwFailure();
    const running = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no work is running. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Resolves when all work has succeeded. Rejects with the first failure. */
  async end(): Promise<void> {
    await this.settled();
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Runs `work` for all items, like a {@link WorkPool}. Rejects when all started work has ended. */
export async function forEachParallel<T>(
  items: Iterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const pool = new WorkPool(parallel);
  try {
    for (const item of items) await pool.start(() => work(item));
  } finally {
    await pool.settled();
  }
  await pool.end();
}
