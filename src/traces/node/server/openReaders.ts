import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { TraceReader } from '../../core/views.ts';

interface Open {
  readonly reader: TraceReader;
  idle: Disposable;
}

/** Opens readers on demand, and closes them soon after, so that files can be moved and deleted on every system. */
export class OpenReaders implements Disposable {
  readonly #open: (file: string) => TraceReader;
  readonly #clock: Clock;
  readonly #idleMilliseconds: number;
  readonly #readers = new Map<string, Open>();
  readonly #spent = new Map<string, number>();

  /** @param open throws a CodedError when the file cannot be read */
  constructor(open: (file: string) => TraceReader, clock: Clock, idleMilliseconds = 3000) {
    this.#open = open;
    this.#clock = clock;
    this.#idleMilliseconds = idleMilliseconds;
  }

  /** Rethrows errors. After an error, the next call opens the file again, which may have been replaced. */
  use<T>(file: string, ask: (reader: TraceReader) => T): T {
    const start = this.#clock.monotonic();
    try {
      return ask(this.#reader(file));
    } catch (error) {
      this.close(file);
      throw error;
    } finally {
      this.#spent.set(file, this.spentOn(file) + this.#clock.monotonic() - start);
    }
  }

  spentOn(file: string): number {
    return this.#spent.get(file) ?? 0;
  }

  close(file: string): void {
    const open = this.#readers.get(file);
    if (open === undefined) return;
    this.#readers.delete(file);
    open.idle.dispose();
    open.reader.close();
  }

  dispose(): void {
    for (const file of [...this.#readers.keys()]) this.close(file);
  }

  #reader(file: string): TraceReader {
    const idle = this.#clock.after(this.#idleMilliseconds, () => this.close(file));
    const open = this.#readers.get(file);
    if (open !== undefined) {
      open.idle.dispose();
      open.idle = idle;
      return open.reader;
    }
    try {
      const reader = this.#open(file);
      this.#readers.set(file, { reader, idle });
      return reader;
    } catch (error) {
      idle.dispose();
      throw error;
    }
  }
}
