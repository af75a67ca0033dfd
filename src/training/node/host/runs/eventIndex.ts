import type { RunFold } from '../../../core/runs/fold.ts';

/** The approximate size of a block in bytes. V8 creates larger strings slowly. */
export const blockSize = 96 * 1024;

/** A position in the file: events up to `seq` are before byte `byte`. */
export interface IndexEntry {
  readonly seq: number;
  readonly byte: number;
}

/** The positions of event numbers in a file, one for each block. */
export class EventIndex {
  readonly #entries: IndexEntry[] = [{ seq: 0, byte: 0 }];

  get last(): IndexEntry {
    return this.#entries.at(-1) ?? { seq: 0, byte: 0 };
  }

  /** Adds an entry. Returns its line for the index file. */
  add(entry: IndexEntry, fold: RunFold): string {
    this.#entries.push(entry);
    return `${JSON.stringify({ ...entry, fold: fold.state })}\n`;
  }

  restore(entry: IndexEntry): void {
    this.#entries.push(entry);
  }

  /** Returns the last entry that is not behind the events after `after`. */
  before(after: number): IndexEntry {
    let [low, high] = [0, this.#entries.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#entries[middle]?.seq ?? 0) <= after) low = middle;
      else high = middle - 1;
    }
    return this.#entries[low] ?? { seq: 0, byte: 0 };
  }

  next(entry: IndexEntry): IndexEntry | undefined {
    return this.#entries[this.#entries.indexOf(entry) + 1];
  }
}
