import path from 'node:path';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { Emitter } from '../../base/core/event.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { TraceClient } from '../core/methods.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { codeNumbers, type CodeNumber } from './codeNumbers.ts';

/** Milliseconds without a change before a trace is read again. */
const settleMilliseconds = 1_000;

export interface LastRunParts {
  readonly client: TraceClient;
  readonly clock: Clock;
  readonly findTrace: () => Promise<string | undefined>;
  readonly onFailed: (error: unknown) => void;
}

/** Statistics of the newest run by lines of code. Nothing is read before a caller needs it. */
export class LastRunNumbers implements Disposable {
  readonly #parts: LastRunParts;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  #trace = '';
  #byFile: ReadonlyMap<string, readonly CodeNumber[]> = new Map();
  #loading: Promise<void> | undefined;
  /** True if something changed during reading. */
  #again = false;
  #settling: Disposable | undefined;
  #wanted = false;

  readonly onChanged = this.#changed.event;

  constructor(parts: LastRunParts) {
    this.#parts = parts;
    this.#store.defer(() => this.#settling?.dispose());
  }

  get trace(): string {
    return this.#trace;
  }

  /** Returns the statistics that are known now, without waiting. */
  of(file: string): readonly CodeNumber[] {
    if (!this.#wanted) {
      this.#wanted = true;
      void this.refresh();
    }
    return this.#byFile.get(path.normalize(file)) ?? [];
  }

  traceChanged(): void {
    if (!this.#wanted) return;
    this.#settling?.dispose();
    this.#settling = this.#parts.clock.after(settleMilliseconds, () => void this.refresh());
  }

  /** Reads the statistics. Never rejects. */
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
    // The statistics of an active run are incomplete, so the previous run counts as the last until it ends.
    if (!view.live) this.#show(trace, codeNumbers(view));
  }

  #show(trace: string, numbers: readonly CodeNumber[]): void {
    const hadNone = this.#byFile.size === 0;
    this.#trace = trace;
    this.#byFile = groupBy(numbers, ({ file }) => path.normalize(file));
    if (!hadNone || numbers.length > 0) this.#changed.fire();
  }
}
