/** A proxy that records the conversation of a client with a Tinker server. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseJson } from '../../../src/base/core/parseJson.ts';
import type { MessageName } from '../../../src/tinker/core/wire/schema.ts';
import { shownMessage, type Exchange } from './conversation.ts';

const kept = ['accept', 'content-type', 'x-api-key', 'x-idempotency-key', 'x-tinker-sampling-backpressure'];
const untimely = /^\/api\/v1\/(?:session_heartbeat|client\/dynamic_config|telemetry)$/;

export class Recorder {
  /** Without heartbeats, and requests for results that were not ready, since their number depends on time. */
  readonly exchanges: Exchange[] = [];
  readonly #target: string;
  /** The messages of results, by the id of their request. */
  readonly #results = new Map<string, MessageName>();
  readonly #server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request;
      const sent = await buffer(request);
      const { host: _, connection: __, 'content-length': ___, ...passed } = headers;
      const answer = await fetch(`${this.#target}${path}`, {
        method,
        headers: { ...(passed as Record<string, string>), 'accept-encoding': 'identity' },
        ...(sent.length > 0 && { body: sent }),
      });
      const received = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get('content-type') ?? 'application/json';
      this.#record({ method, path, headers, sent, status: answer.status, type, received });
      // The SDK repeats requests whose refusal has no length.
      const length = String(received.length);
      response.writeHead(answer.status, { 'content-type': type, 'content-length': length });
      response.end(received);
    })();
  });

  /** @param target the address of the server */
  constructor(target: string) {
    this.#target = target;
  }

  static async start(target: string): Promise<Recorder> {
    const recorder = new Recorder(target);
    recorder.#server.listen(0, '127.0.0.1');
    await once(recorder.#server, 'listening');
    return recorder;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #record({ method, path, headers, sent, status, type, received }: Passed): void {
    const body = bodyOf(sent, headers['content-type'], 'ForwardBackwardRequest');
    const { request_id: id } = (body ?? {}) as { request_id?: string };
    const answer = bodyOf(received, type, this.#results.get(id ?? ''));
    const { request_id: future, type: kind } = (answer ?? {}) as { request_id?: string; type?: string };
    if (path.endsWith('/asample') && future !== undefined) this.#results.set(future, 'SampleResponse');
    if (path.endsWith('/forward_backward') && future !== undefined)
      this.#results.set(future, 'ForwardBackwardOutput');
    if ((untimely.test(path) && status < 300) || kind === 'try_again' || status === 408) return;
    this.exchanges.push({ method, path, headers: headersOf(headers), body, status, answer });
  }
}

interface Passed {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly sent: Buffer;
  readonly status: number;
  readonly type: string;
  readonly received: Buffer;
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = headers[name];
      if (typeof value !== 'string' || value === '*/*') return [];
      return [[name, name === 'x-idempotency-key' ? '(id)' : value]];
    }),
  );
}

function bodyOf(bytes: Buffer, type: string | undefined, message: MessageName | undefined): unknown {
  if (type?.includes('x-protobuf') === true && message !== undefined) return shownMessage(message, bytes);
  if (bytes.length === 0) return null;
  // A server that fails answers with a text.
  return parseJson(bytes.toString()) ?? bytes.toString();
}
