import { Buffer } from 'node:buffer';
import type { RunFold } from '../../../remote/runs/fold.ts';

/** Bytes of events from one entry of the index to the next, about. */
export const blockSize = 192 * 1024;

/** A place in the file of events: all up to event `seq` lie before byte `byte`. */
export interface IndexEntry {
  readonly seq: number;
  readonly byte: number;
}

export interface EventBlock {
  /** Objects with commas between, as UTF-8. */
  readonly json: Uint8Array;
  readonly upTo: number;
}

/** Where in a file of events which numbers are: an entry for each block. */
export class EventIndex {
  readonly #entries: IndexEntry[] = [{ seq: 0, byte: 0 }];

  get last(): IndexEntry {
    return this.#entries.at(-1) ?? { seq: 0, byte: 0 };
  }

  /** The line that stands for it in the index's file. */
  add(entry: IndexEntry, fold: RunFold): string {
    this.#entries.push(entry);
    return `${JSON.stringify({ ...entry, fold: fold.state })}\n`;
  }

  /** An entry that was read. */
  restore(entry: IndexEntry): void {
    this.#entries.push(entry);
  }

  /** The last entry that is not behind what comes after an event. */
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

const [newline, comma] = [10, 44];

/** Without its first lines. */
export function sliceBlock(bytes: Buffer, lines: number): Buffer {
  let start = 0;
  for (let skipped = 0; skipped < lines; skipped++) start = bytes.indexOf(newline, start) + 1;
  return bytes.subarray(start);
}

/** As this code writes them: the source stands at the same place in each. */
const sourceOfLine = /^\{"seq":\d+,"at":\d+,"type":"log","source":("(?:[^"\\]|\\.)*")/;

/** Lines, which it may change, as a reader gets them; without the log lines of sources that were not asked for. */
export function blockOf(lines: Buffer, upTo: number, sources: ReadonlySet<string> | undefined): EventBlock {
  const whole = lines.subarray(0, Math.max(0, lines.length - 1));
  if (sources === undefined) {
    for (let at = whole.indexOf(newline); at >= 0; at = whole.indexOf(newline, at + 1)) whole[at] = comma;
    return { json: whole, upTo };
  }
  const wanted = new Set([...sources].map((source) => JSON.stringify(source)));
  const chosen = whole
    .toString('utf8')
    .split('\n')
    .filter((line) => {
      const source = sourceOfLine.exec(line)?.[1];
      return source === undefined || wanted.has(source);
    });
  return { json: Buffer.from(chosen.join(',')), upTo };
}
