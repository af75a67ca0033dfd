import type { Disposable } from '../../../base/core/disposable.ts';
import type { RunRecord } from '../protocol/runs.ts';
import { encodeChunk, wireLimits } from '../protocol/wire.ts';
import type { ByteSource, EventBlock, EventReader, HostRuns, WireSocket } from '../contracts.ts';

/** A source of many messages, which are sent one by one. */
export interface OutgoingStream {
  /** Sends the next piece. Resolves to false if there is none now. {@link Sender.wake} then starts it again. */
  send(): Promise<boolean>;
}

/**
 * Sends from several streams in turns, no faster than the client takes it. Unsent data of a slow client stays on
 * disk.
 */
export class Sender {
  readonly #socket: WireSocket;
  readonly #ready: OutgoingStream[] = [];
  #runs = false;
  #closed = false;

  constructor(socket: WireSocket) {
    this.#socket = socket;
  }

  wake(stream: OutgoingStream): void {
    if (this.#closed || this.#ready.includes(stream)) return;
    this.#ready.push(stream);
    if (!this.#runs) void this.#run();
  }

  forget(stream: OutgoingStream): void {
    const at = this.#ready.indexOf(stream);
    if (at >= 0) this.#ready.splice(at, 1);
  }

  close(): void {
    this.#closed = true;
    this.#ready.length = 0;
  }

  async #run(): Promise<void> {
    this.#runs = true;
    try {
      for (;;) {
        while (this.#socket.buffered > wireLimits.buffered && !this.#closed) await this.#socket.drained();
        const stream = this.#ready.shift();
        if (stream === undefined) return;
        if (await stream.send()) this.wake(stream);
      }
    } finally {
      this.#runs = false;
    }
  }
}

/** Sends the events of one run. */
export class EventStream implements OutgoingStream, Disposable {
  readonly #socket: WireSocket;
  readonly #reader: EventReader;
  readonly #sender: Sender;
  readonly #listening: Disposable;
  readonly #failed: (error: unknown) => void;
  #ahead: Promise<EventBlock | undefined> | undefined;
  #disposed = false;

  constructor(sender: Sender, socket: WireSocket, reader: EventReader, failed: (error: unknown) => void) {
    this.#socket = socket;
    this.#sender = sender;
    this.#reader = reader;
    this.#failed = failed;
    this.#listening = this.#reader.onMore(() => sender.wake(this));
    sender.wake(this);
  }

  async send(): Promise<boolean> {
    if (this.#disposed) return false;
    try {
      const block = await this.#next();
      if (block === undefined || this.#stopped()) return false;
      if (block.message === undefined) block.release?.();
      else this.#socket.sendText(block.message, block.release);
      this.#readAhead();
      return true;
    } catch (error) {
      if (!this.#stopped()) this.#failed(error);
      return false;
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#sender.forget(this);
    this.#listening.dispose();
    this.#reader.dispose();
  }

  async #next(): Promise<EventBlock | undefined> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    // If nothing was read ahead, new events may exist now.
    return (await ahead) ?? this.#reader.next();
  }

  /** Reads the next block while this one is being sent. */
  #readAhead(): void {
    this.#ahead = this.#reader.next();
    // The error is reported when the block is used.
    this.#ahead.catch(() => undefined);
  }

  #stopped(): boolean {
    return this.#disposed;
  }
}

/** Sends runs that changed or were removed. Only the newest record of each waits. */
export class RunChangeStream implements OutgoingStream, Disposable {
  /** Undefined if the run was removed. */
  readonly #news = new Map<string, RunRecord | undefined>();
  readonly #notify: (run: string, record: RunRecord | undefined) => void;
  readonly #listening: readonly Disposable[];

  /** @param notify called with the record of a run, or without one once the run is removed */
  constructor(sender: Sender, runs: HostRuns, notify: (run: string, record: RunRecord | undefined) => void) {
    this.#notify = notify;
    const tell = (run: string, record?: RunRecord): void => {
      this.#news.set(run, record);
      sender.wake(this);
    };
    this.#listening = [
      runs.onChanged((record) => tell(record.id, record)),
      runs.onRemoved((run) => tell(run)),
    ];
  }

  send(): Promise<boolean> {
    const [first] = this.#news;
    if (first !== undefined) {
      this.#news.delete(first[0]);
      this.#notify(...first);
    }
    return Promise.resolve(this.#news.size > 0);
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#news.clear();
  }
}

/** Sends a file to the client. */
export class DownloadStream implements OutgoingStream, Disposable {
  readonly #socket: WireSocket;
  readonly #transfer: number;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #ended: (error?: unknown) => void;
  #piece: Uint8Array = new Uint8Array();
  #offset = 0;
  #over = false;

  /** @param ended called once, with an error if the source failed */
  constructor(socket: WireSocket, transfer: number, source: ByteSource, ended: (error?: unknown) => void) {
    this.#socket = socket;
    this.#transfer = transfer;
    this.#pieces = source.pieces[Symbol.asyncIterator]();
    this.#ended = ended;
  }

  async send(): Promise<boolean> {
    try {
      while (this.#piece.length === 0) {
        if (this.#isOver()) return false;
        const next = await this.#pieces.next();
        if (this.#isOver()) return false;
        if (next.done === true) return this.#end();
        this.#piece = next.value;
      }
    } catch (error) {
      this.#over = true;
      this.#ended(error);
      return false;
    }
    this.#chunk(this.#piece.subarray(0, wireLimits.chunk));
    this.#piece = this.#piece.subarray(wireLimits.chunk);
    return true;
  }

  dispose(): void {
    if (this.#over) return;
    this.#over = true;
    this.#piece = new Uint8Array();
    void this.#pieces.return?.().catch(() => undefined);
  }

  #isOver(): boolean {
    return this.#over;
  }

  #end(): false {
    this.#over = true;
    this.#chunk(new Uint8Array());
    this.#ended();
    return false;
  }

  #chunk(bytes: Uint8Array): void {
    this.#socket.sendBytes(encodeChunk({ transfer: this.#transfer, offset: this.#offset, bytes }));
    this.#offset += bytes.length;
  }
}
