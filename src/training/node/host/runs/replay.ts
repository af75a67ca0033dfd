import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { runEvent, type RunEvent } from '../../../core/protocol/runs.ts';
import { RunFold, type RunEventBody } from '../../../core/runs/fold.ts';
import { blockSize, EventIndex, type IndexEntry } from './eventIndex.ts';

/** What is used of an open file of events. */
export type EventFile = Pick<FileHandle, 'read' | 'write' | 'stat' | 'truncate' | 'sync' | 'close'>;

interface Replayed {
  readonly fold: RunFold;
  readonly index: EventIndex;
  /** The end of the last whole event. */
  readonly byte: number;
  /** What the last events bring with them and had no time to be written. */
  readonly lacking: readonly RunEventBody[];
}

/**
 * Reads a file of events from the last entry of its index on, and cuts off what is no whole event at its end: a host that
 * was killed while it wrote leaves half a line, a machine that lost its power possibly more.
 */
export async function replay(file: EventFile, indexFile: FileHandle): Promise<Replayed> {
  const { size } = await file.stat();
  let reader = await readFrom(file, size, await readIndex(indexFile, size));
  if (reader.isBroken && reader.isEmpty) {
    // It is the index that is wrong: the events themselves tell.
    await indexFile.truncate(0);
    reader = await readFrom(file, size, { index: new EventIndex(), fold: new RunFold() });
  }
  if (reader.byte < size) await file.truncate(reader.byte);
  if (reader.found !== '') await indexFile.write(reader.found).catch(() => undefined);
  return { fold: reader.fold, index: reader.index, byte: reader.byte, lacking: reader.lacking };
}

async function readFrom(file: EventFile, size: number, start: Start): Promise<Replay> {
  const reader = new Replay(start);
  const piece = Buffer.allocUnsafe(256 * 1024);
  let rest = Buffer.alloc(0);
  for (let at = reader.byte; at < size && !reader.isBroken;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    rest = reader.take(Buffer.concat([rest, piece.subarray(0, bytesRead)]));
  }
  return reader;
}

interface Start {
  readonly index: EventIndex;
  /** At the index's last entry. */
  readonly fold: RunFold;
}

class Replay {
  readonly fold: RunFold;
  readonly index: EventIndex;
  byte: number;
  /** Whether nothing could be read. */
  isEmpty = true;
  isBroken = false;
  /** Lines of the index that were not in its file. */
  found = '';
  lacking: RunEventBody[] = [];

  constructor({ index, fold }: Start) {
    this.fold = fold;
    this.byte = index.last.byte;
    this.index = index;
  }

  /** Returns what is no whole line yet. */
  take(bytes: Buffer): Buffer<ArrayBuffer> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const event = decode(bytes.toString('utf8', start, end));
      if (event?.seq !== this.fold.state.seq + 1) {
        this.isBroken = true;
        break;
      }
      this.#follow(event);
      this.isEmpty = false;
      this.byte += end + 1 - start;
      start = end + 1;
      if (this.lacking.length > 0 || this.byte - this.index.last.byte < blockSize) continue;
      this.found += this.index.add({ seq: event.seq, byte: this.byte }, this.fold);
    }
    return Buffer.from(bytes.subarray(start));
  }

  #follow(event: RunEvent): void {
    const isExpected = this.lacking[0]?.type === event.type;
    // Written by another version of this code, perhaps: then nothing more is to be expected.
    this.lacking = isExpected ? this.lacking.slice(1) : [];
    this.lacking.push(...this.fold.take(event));
  }
}

function decode(line: string): RunEvent | undefined {
  try {
    return runEvent.parse(JSON.parse(line));
  } catch {
    return undefined; // half written
  }
}

/** What is behind an entry that cannot be is thrown away. */
async function readIndex(file: FileHandle, size: number): Promise<Start> {
  const text = await readWhole(file);
  const index = new EventIndex();
  let fold = new RunFold();
  let valid = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', valid)) {
    const entry = decodeEntry(text.slice(valid, end));
    if (entry === undefined || entry.byte > size || entry.byte <= index.last.byte) break;
    index.restore({ seq: entry.seq, byte: entry.byte });
    fold = entry.fold;
    valid = end + 1;
  }
  if (valid < text.length) await file.truncate(Buffer.byteLength(text.slice(0, valid)));
  return { index, fold };
}

async function readWhole(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await file.read(buffer, 0, size, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

function decodeEntry(line: string): (IndexEntry & { readonly fold: RunFold }) | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('fold' in value) || !('byte' in value))
      return undefined;
    const fold = RunFold.decode(value.fold);
    if (fold === undefined || typeof value.byte !== 'number') return undefined;
    return { seq: fold.state.seq, byte: value.byte, fold };
  } catch {
    return undefined; // half written
  }
}
