import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { hasCode, type ErrorReport } from '../../../base/core/errors.ts';
import type { HostParams, HostResults } from '../protocol/hostRpc.ts';
import { decodeChunk, encodeChunk, wireLimits, type Chunk } from '../protocol/wire.ts';
import type { ByteSource, WireSocket } from '../contracts.ts';
import { wireErrors } from './failures.ts';
import { chunksOf } from './outgoingStreams.ts';
import type { Requests } from './requests.ts';

/** The number of buffered bytes after which the host is asked to stop. The rest is requested later. */
const mostWaiting = 8 * 1024 * 1024;

/** A transfer to the client over one connection. */
class IncomingTransfer {
  readonly transfer: number;
  readonly bytes: number;
  isOver = false;
  failure: Error | undefined;
  readonly #full: (incoming: IncomingTransfer) => void;
  readonly #pieces: Uint8Array[] = [];
  #waiting = 0;
  #received = 0;
  #wake: (() => void) | undefined;

  /** @param full called when too many bytes wait: the transfer then ends with what it has */
  constructor(transfer: number, bytes: number, full: (incoming: IncomingTransfer) => void) {
    this.transfer = transfer;
    this.bytes = bytes;
    this.#full = full;
  }

  take({ offset, bytes }: Chunk): void {
    if (this.isOver) return;
    if (offset !== this.#received || this.#received + bytes.length > this.bytes) {
      this.fail(wireErrors.chunkOutOfPlace());
      return;
    }
    this.#received += bytes.length;
    this.#waiting += bytes.length;
    if (bytes.length > 0) this.#pieces.push(bytes);
    else if (this.#received === this.bytes) this.isOver = true;
    else this.fail(wireErrors.badAnswer('a transfer', 'it is shorter than announced'));
    if (this.#waiting > mostWaiting && !this.isOver) {
      this.isOver = true;
      this.#full(this);
    }
    this.#wake?.();
  }

  fail(error: Error): void {
    if (this.isOver) return;
    this.failure = error;
    this.isOver = true;
    this.#wake?.();
  }

  /** Returns the next piece, or undefined if this connection has no more: see `failure`. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#waiting -= piece.length;
        return piece;
      }
      if (this.isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

type TransferMethod = 'sync.get' | 'file.get' | 'tinker.receive' | 'sync.put' | 'sync.pack' | 'tinker.send';

interface TransferRequest<M extends TransferMethod> {
  readonly method: M;
  readonly params: HostParams<M>;
}
export type DownloadRequest =
  | TransferRequest<'sync.get'>
  | TransferRequest<'file.get'>
  | TransferRequest<'tinker.receive'>;
export type UploadRequest =
  | TransferRequest<'sync.put'>
  | TransferRequest<'sync.pack'>
  | TransferRequest<'tinker.send'>;
/** The number of attempts before a transfer that loses its connection fails. */
const mostAttempts = 20;

interface Outgoing {
  readonly ended: Promise<void>;
  end(error?: Error): void;
}

export interface TransferOptions {
  readonly requests: Requests;
  readonly socket: () => WireSocket | undefined;
  /** Resolves when there is a connection. Rejects when none will follow. */
  readonly connected: (cancellation: CancellationToken) => Promise<void>;
}

/** Transfers files and contents, across as many connections as needed. */
export class Transfers {
  readonly #options: TransferOptions;
  readonly #incoming = new Map<number, IncomingTransfer>();
  readonly #outgoing = new Map<number, Outgoing>();

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  /** Returns false if the frame is not a chunk. */
  take(frame: Uint8Array): boolean {
    const chunk = decodeChunk(frame);
    if (chunk === undefined) return false;
    const incoming = this.#incoming.get(chunk.transfer);
    if (incoming === undefined) return true;
    incoming.take(chunk);
    if (incoming.isOver) this.#incoming.delete(chunk.transfer);
    return true;
  }

  ended(transfer: number, report: ErrorReport | undefined): void {
    const error = report && wireErrors.report(report);
    this.#outgoing.get(transfer)?.end(error);
    this.#outgoing.delete(transfer);
    if (error === undefined) return;
    this.#incoming.get(transfer)?.fail(error);
    this.#incoming.delete(transfer);
  }

  disconnected(): void {
    for (const incoming of this.#incoming.values()) incoming.fail(wireErrors.connectionLost('download'));
    for (const outgoing of this.#outgoing.values()) outgoing.end(wireErrors.connectionLost('upload'));
    this.#incoming.clear();
    this.#outgoing.clear();
  }

  async download(request: DownloadRequest, cancellation: CancellationToken): Promise<ByteSource> {
    const first = await this.#again(cancellation, () => this.#open(request, 0, cancellation));
    return { bytes: first.bytes, pieces: this.#pieces(request, first, cancellation) };
  }

  async upload(request: UploadRequest, source: ByteSource, cancellation: CancellationToken): Promise<void> {
    let before = 0;
    let held = 0;
    const hasProgressed = (): boolean => held > before;
    const attempt = (): Promise<void> => {
      before = held;
      return this.#uploadOnce(request, source, cancellation, (bytes) => (held = bytes));
    };
    await this.#again(cancellation, attempt, hasProgressed);
  }

  async *#pieces(
    request: DownloadRequest,
    first: IncomingTransfer,
    cancellation: CancellationToken,
  ): AsyncGenerator<Uint8Array> {
    let [incoming, received] = [first, 0];
    // Do not wait for a host that does not answer.
    const cancelled = cancellation.onCancelled(() => incoming.fail(wireErrors.cancelled(request.method)));
    try {
      for (let attempts = 0; received < first.bytes; attempts++) {
        for (let piece = await incoming.next(); piece !== undefined; piece = await incoming.next()) {
          if (cancellation.isCancelled) throw wireErrors.cancelled(request.method);
          received += piece.length;
          attempts = 0;
          yield piece;
        }
        if (received >= first.bytes) return;
        if (incoming.failure !== undefined && !isLost(incoming.failure)) throw incoming.failure;
        if (attempts >= mostAttempts) throw wireErrors.connectionLost(request.method);
        const at = received;
        incoming = await this.#again(cancellation, () => this.#open(request, at, cancellation));
        if (incoming.bytes !== first.bytes - received)
          throw wireErrors.badAnswer(request.method, 'the file changed');
      }
    } finally {
      cancelled.dispose();
      this.#stop(incoming);
    }
  }

  async #open(
    { method, params }: DownloadRequest,
    received: number,
    cancellation: CancellationToken,
  ): Promise<IncomingTransfer> {
    let incoming: IncomingTransfer | undefined;
    const answered = ({ transfer, bytes }: { readonly transfer: number; readonly bytes: number }): void => {
      incoming = new IncomingTransfer(transfer, bytes, (one) => this.#stop(one));
      this.#incoming.set(transfer, incoming);
    };
    const rest = 'length' in params ? { length: params.length - received } : {};
    const request = { method, params: { ...params, ...rest, offset: params.offset + received } };
    await this.#ask(request, cancellation, answered);
    if (incoming === undefined) throw wireErrors.connectionLost(method);
    return incoming;
  }

  #stop(incoming: IncomingTransfer): void {
    if (this.#incoming.get(incoming.transfer) !== incoming) return;
    this.#incoming.delete(incoming.transfer);
    this.#stopAtHost(incoming.transfer);
  }

  #stopAtHost(transfer: number): void {
    this.#options.requests.ask('transfer.stop', { transfer }).catch(() => undefined);
  }

  async #uploadOnce(
    request: UploadRequest,
    source: ByteSource,
    cancellation: CancellationToken,
    onHeld: (bytes: number) => void,
  ): Promise<void> {
    let opened: { readonly transfer: number; readonly held: number; readonly outgoing: Outgoing } | undefined;
    const answered = ({ transfer, held = 0 }: HostResults['sync.put']): void => {
      opened = { transfer, held, outgoing: newOutgoing() };
      this.#outgoing.set(transfer, opened.outgoing);
    };
    await this.#ask(request, cancellation, answered);
    if (opened === undefined) throw wireErrors.connectionLost(request.method);
    const { transfer, held, outgoing } = opened;
    onHeld(held);
    const rest = held === 0 ? source : restOf(source, held);
    const cancelled = cancellation.onCancelled(() => outgoing.end(wireErrors.cancelled(request.method)));
    try {
      await Promise.race([this.#send(transfer, rest, outgoing, held), outgoing.ended]);
      await outgoing.ended;
    } finally {
      cancelled.dispose();
      if (this.#outgoing.get(transfer) === outgoing) {
        this.#outgoing.delete(transfer);
        this.#stopAtHost(transfer);
      }
    }
  }

  async #send(transfer: number, source: ByteSource, outgoing: Outgoing, from: number): Promise<void> {
    let offset = from;
    const socket = this.#options.socket();
    const isOpen = (): boolean => socket !== undefined && this.#outgoing.get(transfer) === outgoing;
    for await (const bytes of chunksOf(source)) {
      while (isOpen() && (socket?.buffered ?? 0) > wireLimits.message) await socket?.drained();
      if (!isOpen()) return;
      socket?.sendBytes(encodeChunk({ transfer, offset, bytes }));
      offset += bytes.length;
    }
  }

  async #ask<M extends TransferMethod>(
    { method, params }: TransferRequest<M>,
    cancellation: CancellationToken,
    opened: (result: HostResults[M]) => void,
  ): Promise<void> {
    const answered = (result: HostResults[M]): void => {
      if (cancellation.isCancelled) this.#stopAtHost(result.transfer);
      else opened(result);
    };
    await this.#options.requests.ask(method, params, { cancellation, answered });
  }

  /** Repeats an attempt as long as the connection is lost during it. Progress allows as many attempts as at first. */
  async #again<T>(
    cancellation: CancellationToken,
    attempt: () => Promise<T>,
    hasProgressed = (): boolean => false,
  ): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      await this.#options.connected(cancellation);
      try {
        return await attempt();
      } catch (error) {
        if (hasProgressed()) attempts = 1;
        if (!isLost(error) || attempts >= mostAttempts) throw error;
      }
    }
  }
}

function restOf({ bytes, from }: ByteSource, held: number): ByteSource {
  if (from === undefined || held > bytes) throw wireErrors.badAnswer('sync.put', 'it has more than was sent');
  return { bytes: bytes - held, pieces: from(held) };
}

function isLost(error: unknown): boolean {
  return hasCode(error, 'host/connection-lost');
}

function newOutgoing(): Outgoing {
  let end: Outgoing['end'] = () => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  ended.catch(() => undefined);
  return { ended, end };
}
