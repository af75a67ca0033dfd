import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import { runEvent, type RunEvent } from '../../../core/protocol/runs.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { RunFold, type RunEventBody } from '../../../core/runs/fold.ts';
import { blockSize, EventIndex, type IndexLine } from './eventIndex.ts';

export type EventFile = Pick<FileHandle, 'read' | 'write' | 'stat' | 'truncate' | 'sync' | 'close'>;

interface Replayed {
  readonly fold: RunFold;
  readonly index: EventIndex;
  readonly byte: number;
  /** Follow-up events of the last events that were not written. */
  readonly lacking: readonly RunEventBody[];
  /** True if complete lines behind the events were cut off, not only a partial end. */
  readonly isDamaged: boolean;
}

/**
 * Reads events from the last index entry on. Cuts off a partial end, which a kill or a power failure leaves, and all
 * events from the first damaged one on.
 */
export async function replay(file: EventFile, indexFile: FileHandle): Promise<Replayed> {
  const { size } = await file.stat();
  let reader = await readFrom(file, size, await readIndex(file, indexFile, size));
  if (reader.isBroken && reader.isEmpty) {
    // The index is wrong. Read all events instead.
    await indexFile.truncate(0);
    reader = await readFrom(file, size, { index: new EventIndex(), fold: new RunFold() });
  }
  if (reader.byte < size) await file.truncate(reader.byte);
  if (reader.found !== '') await indexFile.write(reader.found).catch(() => undefined);
  const { fold, index, byte, lacking, isBroken: isDamaged } = reader;
  return { fold, index, byte, lacking, isDamaged };
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
  readonly fold: RunFold;
}

class Replay {
  readonly fold: RunFold;
  readonly index: EventIndex;
  byte: number;
  isEmpty = true;
  isBroken = false;
  /** Index lines that are missing in the file. */
  found = '';
  lacking: RunEventBody[] = [];

  constructor({ index, fold }: Start) {
    this.fold = fold;
    this.byte = index.last.byte;
    this.index = index;
  }

  /** Reads the complete lines. Returns the rest. */
  take(bytes: Buffer): Buffer<ArrayBuffer> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      // Undefined: a partial line.
      const event = runEvent.safeParse(parseJson(bytes.toString('utf8', start, end))).data;
      if (event?.seq !== this.fold.state.seq + 1) {
        this.isBroken = true;
        break;
      }
      this.#follow(event);
      this.index.pass(bytes.subarray(start, end + 1));
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
    // Another version may have written the events: then none are missing.
    this.lacking = isExpected ? this.lacking.slice(1) : [];
    this.lacking.push(...this.fold.take(event));
  }
}

/** Reads the index. Cuts it off before the first entry that does not match the bytes before it. */
async function readIndex(events: EventFile, file: FileHandle, size: number): Promise<Start> {
  const text = await readWhole(file);
  const index = new EventIndex();
  let fold = new RunFold();
  let valid = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', valid)) {
    const entry = decodeEntry(text.slice(valid, end));
    if (entry === undefined || entry.byte > size || entry.byte <= index.last.byte) break;
    if ((await checksum(events, index.last.byte, entry.byte)) !== entry.crc) break;
    index.restore({ seq: entry.seq, byte: entry.byte });
    fold = entry.fold;
    valid = end + 1;
  }
  if (valid < text.length) await file.truncate(Buffer.byteLength(text.slice(0, valid)));
  return { index, fold };
}

async function checksum(file: EventFile, from: number, to: number): Promise<number> {
  const piece = Buffer.allocUnsafe(Math.min(to - from, 1024 * 1024));
  let crc = 0;
  for (let at = from; at < to;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, to - at), at);
    if (bytesRead === 0) break;
    crc = crc32(piece.subarray(0, bytesRead), crc);
    at += bytesRead;
  }
  return crc;
}

async function readWhole(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(size);
  const { bytesRead } = await file.read(buffer, 0, size, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

function decodeEntry(line: string): (IndexLine & { readonly fold: RunFold }) | undefined {
  const value = parseJson(line);
  if (!isRecord(value)) return undefined;
  const { byte, crc } = value;
  const fold = RunFold.decode(value['fold']);
  if (fold === undefined || typeof byte !== 'number' || typeof crc !== 'number') return undefined;
  return { seq: fold.state.seq, byte, crc, fold };
}
