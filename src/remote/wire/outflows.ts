import { utf8 } from '../../base/utf8.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { RunRecord } from '../../protocol/host/runs.ts';
import { encodeChunk, wireLimits } from '../../protocol/host/wire.ts';
import type { ByteSource, EventReader, HostRuns } from '../contracts.ts';
import type { Outflow, Sender } from './sender.ts';
import type { WireSocket } from './wireSocket.ts';

/** The events of one run. */
export class FollowOutflow implements Outflow, Disposable {
  readonly #socket: WireSocket;
  readonly #run: string;
  readonly #reader: EventReader;
  readonly #sender: Sender;
  readonly #listening: Disposable;
  readonly #failed: (error: unknown) => void;
  #disposed = false;

  constructor(
    sender: Sender,
    socket: WireSocket,
    followed: { readonly run: string; readonly reader: EventReader },
    failed: (error: unknown) => void,
  ) {
    this.#socket = socket;
    this.#sender = sender;
    this.#run = followed.run;
    this.#reader = followed.reader;
    this.#failed = failed;
    this.#listening = this.#reader.onMore(() => sender.wake(this));
    sender.wake(this);
  }

  async send(): Promise<boolean> {
    if (this.#disposed) return false;
    try {
      const more = await this.#reader.next();
      if (more === undefined || this.#stopped()) return false;
      if (more.json.length > 0) this.#socket.sendText(eventsMessage(this.#run, more.json));
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

  #stopped(): boolean {
    return this.#disposed;
  }
}

/** By the events that they tell: clients at the same place of a log are sent the same bytes. */
const messages = new WeakMap<Uint8Array, Uint8Array>();

/** `run.events`, around the JSON of events as it is. */
function eventsMessage(run: string, json: Uint8Array): Uint8Array {
  const known = messages.get(json);
  if (known !== undefined) return known;
  // The run's name needs no quoting: see `runId`.
  const before = utf8(`{"jsonrpc":"2.0","method":"run.events","params":{"run":"${run}","events":[`);
  const after = utf8(']}}');
  const message = new Uint8Array(before.length + json.length + after.length);
  message.set(before);
  message.set(json, before.length);
  message.set(after, before.length + json.length);
  messages.set(json, message);
  return message;
}

/** Records of runs that changed: of each run the newest alone waits to be sent. */
export class WatchOutflow implements Outflow, Disposable {
  readonly #changed = new Map<string, RunRecord>();
  readonly #notify: (run: RunRecord) => void;
  readonly #listening: Disposable;

  constructor(sender: Sender, runs: HostRuns, notify: (run: RunRecord) => void) {
    this.#notify = notify;
    this.#listening = runs.onChanged((record) => {
      this.#changed.set(record.id, record);
      sender.wake(this);
    });
  }

  send(): Promise<boolean> {
    const [first] = this.#changed.values();
    if (first !== undefined) {
      this.#changed.delete(first.id);
      this.#notify(first);
    }
    return Promise.resolve(this.#changed.size > 0);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.clear();
  }
}

/** A file on its way to the client. */
export class DownloadOutflow implements Outflow, Disposable {
  readonly #socket: WireSocket;
  readonly #transfer: number;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #ended: (error?: unknown) => void;
  #piece: Uint8Array = new Uint8Array();
  #offset = 0;
  #over = false;

  /** @param ended told once; with an error where the source failed */
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
