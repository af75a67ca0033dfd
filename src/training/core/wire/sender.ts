import { wireLimits } from '../protocol/wire.ts';
import type { WireSocket } from './wireSocket.ts';

/** Something that has much to send and is asked for it piece by piece. */
export interface OutgoingStream {
  /** Sends the next piece. False: there is nothing now; {@link Sender.wake} tells when there is again. */
  send(): Promise<boolean>;
}

/**
 * Sends what several outflows have, in turns, and no faster than the other side takes it: what a slow client has not
 * taken stays where it is, on disk.
 */
export class Sender {
  readonly #socket: WireSocket;
  readonly #ready: OutgoingStream[] = [];
  #runs = false;
  #closed = false;

  constructor(socket: WireSocket) {
    this.#socket = socket;
  }

  wake(outflow: OutgoingStream): void {
    if (this.#closed || this.#ready.includes(outflow)) return;
    this.#ready.push(outflow);
    if (!this.#runs) void this.#run();
  }

  forget(outflow: OutgoingStream): void {
    const at = this.#ready.indexOf(outflow);
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
        const outflow = this.#ready.shift();
        if (outflow === undefined) return;
        if (await outflow.send()) this.wake(outflow);
      }
    } finally {
      this.#runs = false;
    }
  }
}
