import { Buffer } from 'node:buffer';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { backoff, type BackoffLimits } from '../../../../base/core/backoff.ts';
import { Emitter } from '../../../../base/core/event.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import { eventsFrame, type EventsFrame } from '../../../core/protocol/eventsMessage.ts';
import type { EventBlock } from '../../../core/contracts.ts';
import { eventsOf } from '../../../core/runs/eventsOf.ts';
import { eventsLost } from '../../../core/runs/failures.ts';
import type { RunEventBody, RunFold } from '../../../core/runs/fold.ts';
import type { EventIndex } from './eventIndex.ts';
import { BlockMemory, LentBlock } from './blockMemory.ts';
import { blockOf, blockSize } from './eventIndex.ts';
import { replay, type EventFile } from './replay.ts';

export interface EventLogOptions {
  /** Whose events they are. */
  readonly run: string;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Milliseconds until a write that failed is tried again; they double up to the last. Default 500 and 10,000. */
  readonly retry?: BackoffLimits;
  /** Told when the disk takes no more, and when it does again. */
  readonly onBlocked?: (why: string | undefined) => void;
  /** Opens the file of events: tests hand in a disk that is full. */
  readonly openFile?: (file: string) => Promise<EventFile>;
}

/** What waits to be written, in order. */
interface Batch {
  readonly bytes: Buffer;
  readonly seq: number;
  readonly index: string;
}

/**
 * The events of one run in `events.ndjson`, a line each, and what they come to. The file is the truth: opened again after
 * the host was killed, a torn line at its end is cut off, and what the last whole line brings with it is made once more if
 * it lacks. Where the disk is full, what was told waits in memory and is tried again; {@link append} resolves once it is
 * written, so whoever waits for it holds back the log that it reads.
 */
export class EventLog {
  readonly fold: RunFold;
  readonly #options: EventLogOptions;
  readonly #frame: EventsFrame;
  readonly #file: EventFile;
  readonly #index: EventIndex;
  readonly #indexFile: FileHandle;
  readonly #onMore = new Emitter<void>();
  readonly onMore = this.#onMore.event;

  /** Of what is in the file: the number and place of its end. */
  #written: { readonly seq: number; readonly byte: number };
  /** Where the next line will be. */
  #next: number;
  #waiting: Batch[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;
  readonly #blocks = new Map<string, Promise<LentBlock>>();
  readonly #memory = new BlockMemory();

  private constructor(
    file: EventFile,
    indexFile: FileHandle,
    found: { readonly fold: RunFold; readonly index: EventIndex; readonly byte: number },
    options: EventLogOptions,
  ) {
    this.fold = found.fold;
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
    const indexFile = await open(path.join(folder, 'events.index'), 'a+', 0o600);
    const found = await replay(file, indexFile);
    const log = new EventLog(file, indexFile, found, options);
    if (found.lacking.length > 0) await log.#take(found.lacking);
    return log;
  }

  /** The number of the newest event that is in the file. */
  get last(): number {
    return this.#written.seq;
  }

  /** Numbers events, with what each brings with it, and writes them. Resolves once they are in the file. */
  append(bodies: readonly RunEventBody[]): Promise<void> {
    return this.#take(bodies);
  }

  /** A block of what comes after an event, from the file or from what is remembered of it; undefined: nothing does. Rejects with `host/events-lost`. */
  read(after: number, sources?: ReadonlySet<string>): Promise<EventBlock | undefined> {
    const { seq, byte } = this.#written;
    if (after > seq) return Promise.reject(eventsLost(this.#options.run, after, seq));
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
      return new LentBlock(blockOf(room, this.#frame, range), () => this.#memory.give(memory));
    });
    this.#blocks.set(key, block);
    block.catch(() => this.#blocks.delete(key));
    const lent = block.then((one) => one.lend());
    for (const [name, old] of this.#blocks) {
      if (this.#blocks.size <= blocksKept) break;
      this.#blocks.delete(name);
      old.then(
        (one) => one.leave(),
        () => undefined, // who asked for it was told
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

  /** To the disk itself, for what must outlive the machine's power. */
  async sync(): Promise<void> {
    await this.#file.sync();
  }

  /** With room for the frame. */
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
      if (bytesRead === 0) throw new Error('The file of events is shorter than what was written into it.');
      at += bytesRead;
    }
    return { room, memory };
  }

  #take(bodies: readonly RunEventBody[]): Promise<void> {
    const at = this.#options.clock.now();
    const lines: string[] = [];
    let index = '';
    let bytes = 0;
    for (const events of eventsOf(this.fold, bodies, at)) {
      for (const event of events) {
        const line = `${JSON.stringify(event)}\n`;
        bytes += Buffer.byteLength(line);
        lines.push(line);
      }
      // Not between an event and what it brings: whoever begins there would not make what lacks.
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
      // It only saves reading: without it the file is read as a whole.
      if (index !== '') await this.#indexFile.write(index).catch(() => undefined);
      this.#onMore.fire();
    }
  }

  /** Resolves to whether the bytes were written. They are not where the log is closed before there is room. */
  async #untilThereIsRoom(bytes: Buffer): Promise<boolean> {
    const { retry = { first: 500, most: 10_000 } } = this.#options;
    for (let failures = 0; !this.#isClosed || failures === 0;) {
      try {
        await writeAll(this.#file, bytes, this.#written.byte);
        if (failures > 0) this.#options.onBlocked?.(undefined);
        return true;
      } catch (error) {
        this.#options.onBlocked?.(error instanceof Error ? error.message : String(error));
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

/** Answers that are remembered for readers at the same place. */
const blocksKept = 8;

function openEvents(file: string): Promise<FileHandle> {
  return open(file, 'r+').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return open(file, 'wx+', 0o600);
    throw error;
  });
}

async function writeAll(file: EventFile, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
