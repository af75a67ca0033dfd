import type { Disposable } from '../../../base/core/disposable.ts';
import type { TraceClient } from '../../core/methods.ts';

/** Has a trace server tell when some traces grow. */
export class RunWatches implements Disposable {
  readonly #client: TraceClient;
  #watched: ReadonlySet<string> = new Set();

  constructor(client: TraceClient) {
    this.#client = client;
  }

  /** These traces and no others from now on. */
  watch(traces: readonly string[]): void {
    const wanted = new Set(traces);
    const before = this.#watched;
    this.#watched = wanted;
    for (const trace of wanted) if (!before.has(trace)) this.#tell('watch', trace);
    for (const trace of before) if (!wanted.has(trace)) this.#tell('unwatch', trace);
  }

  dispose(): void {
    this.watch([]);
  }

  #tell(method: 'watch' | 'unwatch', trace: string): void {
    // A trace that cannot be watched is asked about in intervals all the same, and its summary says why.
    this.#client.ask(method, { trace }).catch(() => undefined);
  }
}
