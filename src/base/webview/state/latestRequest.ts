import { toReport, type ErrorReport } from '../../core/errors.ts';

export type Outcome<T> =
  | { readonly key: string; readonly value: T }
  | { readonly key: string; readonly error: ErrorReport };

/**
 * Runs requests of one kind one at a time. Of the requests made while one runs, only the latest runs next. So a trace
 * that grows faster than it is read, or a key held down, never builds up a queue.
 */
export class LatestRequest<T> {
  readonly #deliver: (outcome: Outcome<T>) => void;
  #running = false;
  #next: { readonly key: string; readonly request: () => Promise<T> } | undefined;
  #disposed = false;

  constructor(deliver: (outcome: Outcome<T>) => void) {
    this.#deliver = deliver;
  }

  run(key: string, request: () => Promise<T>): void {
    if (this.#running) this.#next = { key, request };
    else void this.#start(key, request);
  }

  /** Nothing is delivered any more. */
  dispose(): void {
    this.#disposed = true;
    this.#next = undefined;
  }

  async #start(key: string, request: () => Promise<T>): Promise<void> {
    this.#running = true;
    const outcome = await settled(key, request);
    this.#running = false;
    const next = this.#next;
    this.#next = undefined;
    if (next) void this.#start(next.key, next.request);
    if (!this.#disposed) this.#deliver(outcome);
  }
}

async function settled<T>(key: string, request: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { key, value: await request() };
  } catch (error) {
    return { key, error: toReport(error, 'viewer/request') };
  }
}
