import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { runEvent, type RunEvent } from '../../../core/protocol/runs.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { RunFold, type RunEventBody } from '../../../core/runs/fold.ts';
import { blockSize, EventIndex, type IndexEntry } from './eventIndex.ts';

export type EventFile = Pick<FileHandle, 'read' | 'write' | 'stat' | 'truncate' | 'sync' | 'close'>;

interface Replayed {
  readonly fold: RunFold;
  readonly index: EventIndex;
  readonly byte: number;
  /** Follow-up events of the last events that were not written. */
  readonly lacking: readonly RunEventBody[];
}

/** Reads events from the last index entry on. Cuts off a partial end, which a kill or a power failure leaves. */
export async function replay(file: EventFile, indexFile: FileHandle): Promise<Replayed> {
  const { size } = await file.stat();
  let reader = await readFrom(file, size, await readIndex(indexFile, size));
  if (reader.isBroken && reader.isEmpty) {
    // The index is wrong. Read all events instead.
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

/** Reads the index. Cuts it off before the first invalid entry. */
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
  const value = parseJson(line);
  if (!isRecord(value) || typeof value['byte'] !== 'number') return undefined;
  const fold = RunFold.decode(value['fold']);
  return fold && { seq: fold.state.seq, byte: value['byte'], fold };
}
