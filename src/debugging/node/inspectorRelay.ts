import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { isFromOtherUser } from '../../base/node/peerUser.ts';
import type { Disposable } from '../../base/core/disposable.ts';

/** Messages of the inspector's protocol have no limit, and pass within this machine. */
const socketOptions = { perMessageDeflate: false, maxPayload: 0 } as const;

/** The request with which a debugger lets a process run, after it has set its breakpoints. */
const release = '"Runtime.runIfWaitingForDebugger"';

/**
 * Passes the messages of one debugger on to the inspector of a run. The address contains a secret, because other users of
 * the machine can reach the port.
 */
export class InspectorRelay implements Disposable {
  readonly #server: WebSocketServer;
  readonly #path: string;

  /** @param onAttached called once the inspector has the breakpoints of the debugger */
  static async listen(inspector: URL, onAttached: () => void): Promise<InspectorRelay> {
    const path = `/${randomBytes(16).toString('hex')}`;
    const server = new WebSocketServer({
      ...socketOptions,
      host: '127.0.0.1',
      port: 0,
      path,
      verifyClient: ({ req }: { readonly req: IncomingMessage }) => !isFromOtherUser(req.socket),
    });
    await once(server, 'listening');
    return new InspectorRelay(server, inspector, onAttached, path);
  }

  private constructor(server: WebSocketServer, inspector: URL, onAttached: () => void, path: string) {
    this.#server = server;
    this.#path = path;
    server.once('connection', (debugging) => {
      server.close(); // There is no second debugger.
      new Passage(debugging, inspector, onAttached);
    });
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  /** Closes the connection, too. */
  dispose(): void {
    this.#server.close();
    for (const client of this.#server.clients) client.terminate();
  }
}

class Passage {
  readonly #debugging: WebSocket;
  readonly #inspector: URL;
  readonly #onAttached: () => void;
  /** The messages before the first answer. While a process starts, its inspector can close a connection without one. */
  #early: Buffer[] | undefined = [];
  /** The beginning of the answer to the release, until it comes. */
  #answerStart: Buffer | undefined;
  #isReleased = false;
  #inspected: WebSocket;

  constructor(debugging: WebSocket, inspector: URL, onAttached: () => void) {
    this.#debugging = debugging;
    this.#inspector = inspector;
    this.#onAttached = onAttached;
    debugging.on('message', (data: Buffer) => this.#ask(data));
    debugging.on('error', () => undefined); // 'close' follows
    debugging.on('close', () => this.#inspected.close());
    this.#inspected = this.#connect();
  }

  #ask(data: Buffer): void {
    if (!this.#isReleased && data.includes(release)) {
      const { id } = JSON.parse(data.toString()) as { readonly id: number };
      this.#answerStart = Buffer.from(`{"id":${id},`);
      this.#isReleased = true;
    }
    this.#early?.push(data);
    if (this.#inspected.readyState === WebSocket.OPEN) this.#inspected.send(data, { binary: false });
  }

  #connect(): WebSocket {
    const inspected = new WebSocket(this.#inspector, socketOptions);
    inspected.on('open', () => this.#early?.forEach((data) => inspected.send(data, { binary: false })));
    inspected.on('message', (data: Buffer) => this.#answer(data));
    inspected.on('error', () => undefined); // 'close' follows
    inspected.on('close', () => {
      const again = this.#early !== undefined && this.#debugging.readyState === WebSocket.OPEN;
      if (again) this.#inspected = this.#connect();
      else this.#debugging.close();
    });
    return inspected;
  }

  #answer(data: Buffer): void {
    this.#early = undefined;
    this.#debugging.send(data, { binary: false });
    // The inspector answers in order, so it has everything that the debugger sent before.
    const start = this.#answerStart;
    if (start === undefined || !data.subarray(0, start.length).equals(start)) return;
    this.#answerStart = undefined;
    this.#onAttached();
  }
}
