import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { RunRecord } from '../protocol/runs.ts';
import { encodeChunk, wireLimits } from '../protocol/wire.ts';
import type { ByteSource, EventBlock, EventReader, HostRuns, WireSocket } from '../contracts.ts';

/** A source of many messages, which are sent one by one. It ends with its connection. */
export interface OutgoingStream extends Disposable {
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

/** @param failed called if the events cannot be read */
export function eventStream(
  sender: Sender,
  socket: WireSocket,
  reader: EventReader,
  failed: (error: unknown) => void,
): OutgoingStream {
  const store = new DisposableStore();
  let ahead: Promise<EventBlock | undefined> | undefined;
  const next = async (): Promise<EventBlock | undefined> => {
    const read = ahead;
    ahead = undefined;
    // If nothing was read ahead, new events may exist now.
    return (await read) ?? reader.next();
  };
  const stream: OutgoingStream = {
    send: async () => {
      try {
        const block = await next();
        if (block === undefined || store.isDisposed) return false;
        if (block.message === undefined) block.release?.();
        else socket.sendText(block.message, block.release);
        // Reads the next block while this one is being sent. An error is reported when the block is used.
        ahead = reader.next();
        ahead.catch(() => undefined);
        return true;
      } catch (error) {
        if (!store.isDisposed) failed(error);
        return false;
      }
    },
    dispose: () => store.dispose(),
  };
  store.add(reader);
  store.add(reader.onMore(() => sender.wake(stream)));
  store.defer(() => sender.forget(stream));
  sender.wake(stream);
  return stream;
}

/** Only the newest record of each run waits. `notify` gets no record once the run is removed. */
export function runChangeStream(
  sender: Sender,
  runs: HostRuns,
  notify: (run: string, record: RunRecord | undefined) => void,
): OutgoingStream {
  const changes = new Map<string, RunRecord | undefined>();
  const store = new DisposableStore();
  const stream: OutgoingStream = {
    send: () => {
      const [first] = changes;
      if (first !== undefined) {
        changes.delete(first[0]);
        notify(...first);
      }
      return Promise.resolve(changes.size > 0);
    },
    dispose: () => store.dispose(),
  };
  const add = (run: string, record?: RunRecord): void => {
    changes.set(run, record);
    sender.wake(stream);
  };
  store.defer(() => changes.clear());
  store.add(runs.onChanged((record) => add(record.id, record)));
  store.add(runs.onRemoved((run) => add(run)));
  return stream;
}

/** Returns the content of the chunks of a transfer. The last one is empty. */
export async function* chunksOf({ pieces }: ByteSource): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += wireLimits.chunk) {
      yield piece.subarray(at, at + wireLimits.chunk);
    }
  }
  yield new Uint8Array();
}

/** @param ended called once, with an error if the source failed */
export function downloadStream(
  socket: WireSocket,
  transfer: number,
  source: ByteSource,
  ended: (error?: unknown) => void,
): OutgoingStream {
  const chunks = chunksOf(source);
  let offset = 0;
  let isOver = false;
  return {
    send: async () => {
      try {
        const { value: bytes, done } = await chunks.next();
        if (done === true || isOver) return false;
        socket.sendBytes(encodeChunk({ transfer, offset, bytes }));
        offset += bytes.length;
        isOver = bytes.length === 0;
        if (isOver) ended();
        return !isOver;
      } catch (error) {
        if (!isOver) ended(error);
        isOver = true;
        return false;
      }
    },
    dispose: () => {
      isOver = true;
      void chunks.return().catch(() => undefined);
    },
  };
}
