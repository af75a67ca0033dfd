import { Buffer } from 'node:buffer';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { backoff, type BackoffLimits } from '../../../../base/core/backoff.ts';
import { Emitter } from '../../../../base/core/event.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { eventsFrame, type EventsFrame } from '../../../core/protocol/hostRpc.ts';
import type { EventBlock } from '../../../core/contracts.ts';
import { numberEvents, type RunEventBody, type RunFold } from '../../../core/runs/fold.ts';
import { runErrors } from '../../../core/runs/failures.ts';
import { type EventIndex, blockOf, blockSize } from './eventIndex.ts';
import { writeAll } from '../../filePieces.ts';
import { replay, type EventFile } from './replay.ts';
import { hasCode, messageOf } from '../../../../base/core/errors.ts';

const mostFree = 8;
/** About the size of a block with its frame. */
const usual = blockSize + 32 * 1024;

/** Reuses the buffers for blocks. New buffers would cause many garbage collections per second. */
class BufferPool {
  readonly #free: Buffer<ArrayBuffer>[] = [];

  take(length: number): Buffer<ArrayBuffer> {
    const at = this.#free.findIndex((one) => one.length >= length);
    const [found = Buffer.allocUnsafeSlow(Math.max(length, usual))] = at < 0 ? [] : this.#free.splice(at, 1);
    return found;
  }

  give(buffer: Buffer<ArrayBuffer>): void {
    if (this.#free.length < mostFree) this.#free.push(buffer);
  }
}

class SharedBuffer {
  readonly #block: EventBlock;
  readonly #free: () => void;
  #readers = 0;
  #isKept = true;

  /** @param free called when no reader uses the block; never if a reader does not release it */
  constructor(block: EventBlock, free: () => void) {
    this.#block = block;
    this.#free = free;
  }

  lend(): EventBlock {
    this.#readers += 1;
    let isRead = true;
    const release = (): void => {
      if (!isRead) return;
      isRead = false;
      this.#readers -= 1;
      this.#look();
    };
    return { ...this.#block, release };
  }

  leave(): void {
    this.#isKept = false;
    this.#look();
  }

  #look(): void {
    if (!this.#isKept && this.#readers === 0) this.#free();
  }
}

export interface EventLogOptions {
  readonly run: string;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Milliseconds until a failed write is tried again; they double up to the last. By default 500 and 10,000. */
  readonly retry?: BackoffLimits;
  /** Called when the disk is full, and with undefined when writing succeeds again. */
  readonly onBlocked?: (why: string | undefined) => void;
  /** Opens the file of events. Tests pass a full disk. */
  readonly openFile?: (file: string) => Promise<EventFile>;
}

interface Batch {
  readonly bytes: Buffer;
  readonly seq: number;
  readonly index: string;
}

/**
 * The events of a run in `events.ndjson`, one per line, and the state that they fold into. The file is the source of
 * truth. After a kill, a partial last line is cut off, and missing follow-up events are created again. When the disk is
 * full, events wait in memory. {@link append} resolves when they are written, so that the reader of the log waits too.
 */
export class EventLog {
  readonly fold: RunFold;
  /** True if events in the middle of the file were damaged, and those behind them are gone. */
  readonly isDamaged: boolean;
  readonly #options: EventLogOptions;
  readonly #frame: EventsFrame;
  readonly #file: EventFile;
  readonly #index: EventIndex;
  readonly #indexFile: FileHandle;
  readonly #onMore = new Emitter<void>();
  readonly onMore = this.#onMore.event;
  /** The last number and the size of the file. */
  #written: { readonly seq: number; readonly byte: number };
  #next: number;
  #waiting: Batch[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;
  readonly #blocks = new Map<string, Promise<SharedBuffer>>();
  readonly #memory = new BufferPool();

  private constructor(
    file: EventFile,
    indexFile: FileHandle,
    found: Awaited<ReturnType<typeof replay>>,
    options: EventLogOptions,
  ) {
    this.fold = found.fold;
    this.isDamaged = found.isDamaged;
    this.#file = file;
    this.#indexFile = indexFile;
    this.#index = found.index;
    this.#written = { seq: found.fold.state.seq, byte: found.byte };
    this.#next = found.byte;
    this.#options = options;
    this.#frame = eventsFrame(options.run);
  }

  static async open(folder: string, options: EventLogOptions): Promise<EventLog> {
    const place = path.join(folder, 'events.ndjson');
    const file = await (options.openFile ?? openEvents)(place);
    const indexFile = await openIndex(path.join(folder, 'events.index'));
    const found = await replay(file, indexFile);
    const log = new EventLog(file, indexFile, found, options);
    // Not awaited, because on a full disk this takes until there is room.
    void log.append(found.lacking);
    return log;
  }

  get last(): number {
    return this.#written.seq;
  }

  /** Appends events and their follow-up events. Resolves when they are in the file. */
  append(bodies: readonly RunEventBody[]): Promise<void> {
    const at = this.#options.clock.now();
    const lines: string[] = [];
    let index = '';
    let bytes = 0;
    for (const events of numberEvents(this.fold, bodies, at)) {
      for (const event of events) {
        const line = `${JSON.stringify(event)}\n`;
        bytes += Buffer.byteLength(line);
        lines.push(line);
        this.#index.pass(line);
      }
      // Not between an event and its follow-up events, which a reader from there would not create.
      if (this.#next + bytes - this.#index.last.byte >= blockSize) {
        index += this.#index.add({ seq: this.fold.state.seq, byte: this.#next + bytes }, this.fold);
      }
    }
    if (lines.length === 0) return this.#writing ?? Promise.resolve();
    this.#next += bytes;
    this.#waiting.push({ bytes: Buffer.from(lines.join('')), seq: this.fold.state.seq, index });
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Undefined: there is no event after `after`. Rejects with `host/events-lost`. */
  read(after: number, sources?: ReadonlySet<string>): Promise<EventBlock | undefined> {
    const { seq, byte } = this.#written;
    if (after > seq) return Promise.reject(runErrors.eventsLost(this.#options.run, after, seq));
    if (after === seq) return Promise.resolve(undefined);
    const from = this.#index.before(after);
    const until = this.#index.next(from) ?? { seq, byte };
    const end = until.seq > seq ? { seq, byte } : until;
    const filter = sources === undefined ? '' : JSON.stringify([...sources].sort());
    const key = `${after} ${end.seq} ${filter}`;
    const known = this.#blocks.get(key);
    if (known !== undefined) return known.then((block) => block.lend());
    const range = { skip: after - from.seq, upTo: end.seq, sources };
    const block = this.#bytes(from.byte, end.byte).then(({ room, memory }) => {
      return new SharedBuffer(blockOf(room, this.#frame, range), () => this.#memory.give(memory));
    });
    this.#blocks.set(key, block);
    block.catch(() => this.#blocks.delete(key));
    const lent = block.then((one) => one.lend());
    for (const [name, old] of this.#blocks) {
      if (this.#blocks.size <= blocksKept) break;
      this.#blocks.delete(name);
      old.then(
        (one) => one.leave(),
        () => undefined, // the caller got the error
      );
    }
    return lent;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#writing;
    this.#onMore.dispose();
    await this.#file.close();
    await this.#indexFile.close();
  }

  async sync(): Promise<void> {
    await this.#file.sync();
  }

  async #bytes(
    from: number,
    to: number,
  ): Promise<{ readonly room: Buffer; readonly memory: Buffer<ArrayBuffer> }> {
    const { before, after } = this.#frame;
    const length = to - from;
    const size = before.length + length + after.length;
    const memory = this.#memory.take(size);
    const room = memory.subarray(0, size);
    for (let at = 0; at < length;) {
      const { bytesRead } = await this.#file.read(room, before.length + at, length - at, from + at);
      if (bytesRead === 0) throw new Error('The event file is shorter than the data that was written to it.');
      at += bytesRead;
    }
    return { room, memory };
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batches = this.#waiting;
      this.#waiting = [];
      const bytes = Buffer.concat(batches.map((batch) => batch.bytes));
      const isWritten = await this.#untilThereIsRoom(bytes);
      if (!isWritten) return;
      const seq = batches.at(-1)?.seq ?? this.#written.seq;
      this.#written = { seq, byte: this.#written.byte + bytes.length };
      const index = batches.map((batch) => batch.index).join('');
      // The index is optional: without it the whole file is read.
      if (index !== '') await this.#indexFile.write(index).catch(() => undefined);
      this.#onMore.fire();
    }
  }

  /** Retries until the bytes are written. Resolves to false if the log is closed first. */
  async #untilThereIsRoom(bytes: Buffer): Promise<boolean> {
    const { retry = { first: 500, most: 10_000 } } = this.#options;
    for (let failures = 0; !this.#isClosed || failures === 0;) {
      try {
        await writeAll(this.#file, bytes, this.#written.byte);
        if (failures > 0) this.#options.onBlocked?.(undefined);
        return true;
      } catch (error) {
        this.#options.onBlocked?.(messageOf(error));
        failures += 1;
        if (!this.#isClosed) await this.#pause(backoff(failures, retry));
      }
    }
    return false;
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(milliseconds, resolve);
      this.#wake = () => {
        timer.dispose();
        resolve();
      };
    });
  }
}

const blocksKept = 8;

async function openEvents(file: string): Promise<FileHandle> {
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return open(file, 'wx+', 0o600);
    throw error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`The file ${file} is not a regular file.`);
}

/** Opens the index, which can be created again from the events. */
async function openIndex(file: string): Promise<FileHandle> {
  for (let isAgain = false; ; isAgain = true) {
    const handle = await open(file, 'a+', 0o600).catch((error: unknown) => {
      if (isAgain) throw error;
    });
    if ((await handle?.stat())?.isFile() === true && handle !== undefined) return handle;
    await handle?.close();
    await rm(file, { recursive: true, force: true });
  }
}
