import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { EventsFrame } from '../../../core/protocol/hostRpc.ts';
import type { EventBlock } from '../../../core/contracts.ts';
import type { RunFold } from '../../../core/runs/fold.ts';

/** The approximate size of a block in bytes. V8 creates larger strings slowly. */
export const blockSize = 96 * 1024;

/** A position in the file: events up to `seq` are before byte `byte`. */
export interface IndexEntry {
  readonly seq: number;
  readonly byte: number;
}

export interface IndexLine extends IndexEntry {
  /** The CRC-32 of the bytes since the entry before. */
  readonly crc: number;
}

/** The positions of event numbers in a file, one for each block. */
export class EventIndex {
  readonly #entries: IndexEntry[] = [{ seq: 0, byte: 0 }];
  #crc = 0;

  get last(): IndexEntry {
    return this.#entries.at(-1) ?? { seq: 0, byte: 0 };
  }

  /** Takes the next events in the file, for the checksum of the next entry. */
  pass(bytes: string | Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
  }

  /** Adds an entry. Returns its line for the index file. */
  add(entry: IndexEntry, fold: RunFold): string {
    this.#entries.push(entry);
    const line: IndexLine = { ...entry, crc: this.#crc };
    this.#crc = 0;
    return `${JSON.stringify({ ...line, fold: fold.state })}\n`;
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

const [newline, comma] = [10, 44];
/** Matches the lines of this version, which have the source at a fixed position. */
const sourceOfLine = /^\{"seq":\d+,"at":\d+,"type":"log","source":("(?:[^"\\]|\\.)*")/;

export interface BlockRange {
  readonly skip: number;
  readonly upTo: number;
  /** The sources of log lines to include. Undefined: all. */
  readonly sources: ReadonlySet<string> | undefined;
}

/** @param room the lines of the file, with space for the frame; it is overwritten */
export function blockOf(room: Buffer, { before, after }: EventsFrame, range: BlockRange): EventBlock {
  const { skip, upTo, sources } = range;
  const lines = room.subarray(before.length, room.length - after.length - 1);
  let start = 0;
  for (let skipped = 0; skipped < skip; skipped++) start = lines.indexOf(newline, start) + 1;
  if (sources !== undefined) {
    const chosen = chosenOf(lines.toString('utf8', start), sources);
    if (chosen.length === 0) return { message: undefined, upTo };
    return { message: Buffer.concat([before, Buffer.from(chosen.join(',')), after]), upTo };
  }
  for (let at = lines.indexOf(newline, start); at >= 0; at = lines.indexOf(newline, at + 1))
    lines[at] = comma;
  const end = before.length + lines.length;
  room.set(before, start);
  room.set(after, end);
  return { message: room.subarray(start, end + after.length), upTo };
}

function chosenOf(lines: string, sources: ReadonlySet<string>): string[] {
  const wanted = new Set([...sources].map((source) => JSON.stringify(source)));
  return lines.split('\n').filter((line) => {
    const source = sourceOfLine.exec(line)?.[1];
    return source === undefined || wanted.has(source);
  });
}
