import type { Buffer } from 'node:buffer';
import type { RawData, WebSocket } from 'ws';
import type { DialHandlers, WireSocket } from '../core/contracts.ts';

interface WireHandlers extends Pick<DialHandlers, 'text' | 'bytes'> {
  closed(code: number, reason: string): void;
}

/** The number of heartbeats in a row that may stay unanswered. */
const patience = 3;

/** Adapts a WebSocket to the wire protocol. Terminates a peer that neither answers heartbeats nor takes data. */
export function wireSocket(socket: WebSocket, handlers: WireHandlers, heartbeat: number): WireSocket {
  const wire = new WebSocketWire(socket, heartbeat);
  socket.on('message', (data: RawData, isBinary: boolean) => {
    // With the default `binaryType` a message is one buffer.
    const frame = data as Buffer;
    if (isBinary) handlers.bytes(frame);
    else handlers.text(frame.toString('utf8'));
  });
  // An invalid frame (size, mask, UTF-8) ends the connection with its own code; `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', (code: number, reason: Buffer) => {
    wire.over();
    handlers.closed(code, reason.toString('utf8'));
  });
  return wire;
}

class WebSocketWire implements WireSocket {
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  #waiting: (() => void)[] = [];
  #missed = 0;

  constructor(socket: WebSocket, heartbeat: number) {
    this.#socket = socket;
    this.#timer = setInterval(() => this.#beat(), heartbeat * 1_000);
    this.#timer.unref();
    for (const sign of ['ping', 'pong', 'message'] as const) socket.on(sign, () => this.#lives());
  }

  get buffered(): number {
    return this.#socket.readyState === this.#socket.OPEN ? this.#socket.bufferedAmount : 0;
  }

  sendText(text: string | Uint8Array, sent?: () => void): void {
    this.#socket.send(text, { binary: false }, this.#sent(sent));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, { binary: true }, this.#sent());
  }

  drained(): Promise<void> {
    if (this.buffered === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  setReading(reads: boolean): void {
    if (reads) this.#socket.resume();
    else this.#socket.pause();
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) {
      this.#socket.resume();
      this.#socket.close(code, reason);
    } else this.#socket.terminate();
  }

  over(): void {
    clearInterval(this.#timer);
    this.#wake();
  }

  #sent(then?: () => void): () => void {
    // Waiting data was sent only because the peer took earlier data.
    const waits = this.buffered > 0;
    return () => {
      if (waits) this.#lives();
      then?.();
      this.#wake();
    };
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #lives(): void {
    this.#missed = 0;
  }

  #beat(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#missed >= patience) {
      this.#socket.terminate();
      return;
    }
    this.#missed += 1;
    // A peer that we do not read cannot answer. It counts as alive while it takes what we send.
    if (this.#socket.isPaused && this.buffered === 0) this.#lives();
    this.#socket.ping();
  }
}
