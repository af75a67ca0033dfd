import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { once } from 'node:events';
import type { Disposable } from '../../base/core/disposable.ts';

/**
 * Passes the connection of one debugger on to the inspector of a run. The debugger can connect before the run waits for it,
 * so that both start at the same time. The address contains a secret, because other users of the machine can reach the port.
 */
export class InspectorRelay implements Disposable {
  readonly #server: Server;
  readonly #path = `/${randomBytes(16).toString('hex')}`;
  #debugger: Duplex | undefined;

  /** @param inspector the inspector's WebSocket address, once the run waits for the debugger */
  static async listen(inspector: Promise<URL>): Promise<InspectorRelay> {
    const relay = new InspectorRelay(inspector);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  private constructor(inspector: Promise<URL>) {
    this.#server = createServer((_, response) => response.writeHead(404).end());
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined); // 'close' follows
      if (request.url !== this.#path || this.#debugger?.destroyed === false) {
        socket.destroy();
        return;
      }
      this.#debugger = socket;
      inspector.then(
        (url) => this.#connect(url, request, socket, head),
        () => socket.destroy(),
      );
    });
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  /** Closes the connection, too. */
  dispose(): void {
    this.#server.close();
    this.#debugger?.destroy();
  }

  /** There is no second debugger after this one. */
  #connect(url: URL, { rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (socket.destroyed) return;
    this.#server.close();
    const target = connect(Number(url.port), url.hostname);
    const lines = rawHeaders.flatMap((text, at) => (at % 2 === 0 ? [`${text}: ${rawHeaders[at + 1]}`] : []));
    target.write([`GET ${url.pathname} HTTP/1.1`, ...lines, '\r\n'].join('\r\n'));
    target.write(head);
    target.on('error', () => undefined); // 'close' follows
    target.on('close', () => socket.destroy());
    socket.on('close', () => target.destroy());
    socket.pipe(target).pipe(socket);
  }
}
