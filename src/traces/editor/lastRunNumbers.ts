import path from 'node:path';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { TraceClient } from '../core/methods.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { codeNumbers, type CodeNumber } from './codeNumbers.ts';

/** A trace that changes is asked about when it has not for so long, in milliseconds. */
const settleMilliseconds = 1_000;

export interface LastRunParts {
  readonly client: TraceClient;
  readonly clock: Clock;
  /** The newest trace of the workspace, absolute; undefined: there is none. */
  readonly findTrace: () => Promise<string | undefined>;
  readonly onFailed: (error: unknown) => void;
}

/** What the newest run came to, by lines of code. Nothing is asked before somebody wants to know it. */
export class LastRunNumbers implements Disposable {
  readonly #parts: LastRunParts;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  #trace = '';
  #byFile: ReadonlyMap<string, readonly CodeNumber[]> = new Map();
  #loading: Promise<void> | undefined;
  /** Something changed while it was read. */
  #again = false;
  #settling: Disposable | undefined;
  #wanted = false;

  /** Fires after the numbers changed. */
  readonly onChanged = this.#changed.event;

  constructor(parts: LastRunParts) {
    this.#parts = parts;
    this.#store.defer(() => this.#settling?.dispose());
  }

  /** Of the run that {@link of} tells about, absolute. */
  get trace(): string {
    return this.#trace;
  }

  /** What is known by now: an editor waits for nobody. */
  of(file: string): readonly CodeNumber[] {
    if (!this.#wanted) {
      this.#wanted = true;
      void this.refresh();
    }
    return this.#byFile.get(path.normalize(file)) ?? [];
  }

  /** A trace came, changed or went. */
  traceChanged(): void {
    if (!this.#wanted) return;
    this.#settling?.dispose();
    this.#settling = this.#parts.clock.after(settleMilliseconds, () => void this.refresh());
  }

  /** Never rejects. */
  async refresh(): Promise<void> {
    if (!this.#wanted) return;
    if (this.#loading !== undefined) {
      this.#again = true;
      return;
    }
    this.#loading = this.#load().catch((error: unknown) => this.#parts.onFailed(error));
    await this.#loading;
    this.#loading = undefined;
    if (!this.#again) return;
    this.#again = false;
    await this.refresh();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #load(): Promise<void> {
    const trace = await this.#parts.findTrace();
    if (trace === undefined) {
      this.#show('', []);
      return;
    }
    const view = await this.#parts.client.ask('lines', { trace });
    // Half a run would be taken for all of it: until its end, the one before it is the last.
    if (!view.live) this.#show(trace, codeNumbers(view));
  }

  #show(trace: string, numbers: readonly CodeNumber[]): void {
    const hadNone = this.#byFile.size === 0;
    this.#trace = trace;
    this.#byFile = groupBy(numbers, ({ file }) => path.normalize(file));
    if (!hadNone || numbers.length > 0) this.#changed.fire();
  }
}
