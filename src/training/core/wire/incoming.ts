import type { Chunk } from '../protocol/wire.ts';
import { wireErrors } from './failures.ts';

/** Bytes that wait for whoever reads them before the host is told to stop; it is asked for the rest later. */
const mostWaiting = 8 * 1024 * 1024;

/** A transfer to the client, over one connection. */
export class IncomingTransfer {
  readonly transfer: number;
  /** How many it was opened for. */
  readonly bytes: number;
  readonly #full: (incoming: IncomingTransfer) => void;
  readonly #pieces: Uint8Array[] = [];
  #waiting = 0;
  #received = 0;
  #isOver = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** @param full called once too much waits: the transfer is over then, with what it has */
  constructor(transfer: number, bytes: number, full: (incoming: IncomingTransfer) => void) {
    this.transfer = transfer;
    this.bytes = bytes;
    this.#full = full;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  take({ offset, bytes }: Chunk): void {
    if (this.#isOver) return;
    if (offset !== this.#received || this.#received + bytes.length > this.bytes) {
      this.fail(wireErrors.chunkOutOfPlace());
      return;
    }
    this.#received += bytes.length;
    this.#waiting += bytes.length;
    if (bytes.length > 0) this.#pieces.push(bytes);
    else if (this.#received === this.bytes) this.#isOver = true;
    else this.fail(wireErrors.badAnswer('a transfer', 'it is shorter than the host said'));
    if (this.#waiting > mostWaiting && !this.#isOver) {
      this.#isOver = true;
      this.#full(this);
    }
    this.#wake?.();
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#isOver = true;
    this.#wake?.();
  }

  /** The next piece; undefined: there are no more over this connection, see `failure`. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#waiting -= piece.length;
        return piece;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
