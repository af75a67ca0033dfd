/**
 * A server that answers as one did in a recorded conversation. It compares each request with the recorded one: the n-th of a
 * path with the n-th there.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { isMessage, shownMessage, type Conversation, type Exchange } from './conversation.ts';

/** A request that differs from the recorded one. */
export interface Difference {
  readonly path: string;
  readonly sent: unknown;
  readonly recorded: unknown;
}

const poll = '/api/v1/retrieve_future';

export class ReplayServer {
  readonly differences: Difference[] = [];
  /** Requests that the conversation does not have. */
  readonly others: string[] = [];
  readonly #conversation: Conversation;
  readonly #left: Exchange[];
  readonly #server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const found = this.#answer(method, url, headers, await buffer(request));
      const message = isMessage(found.answer) ? Buffer.from(found.answer.base64, 'base64') : undefined;
      const type = message === undefined ? 'application/json' : 'application/x-protobuf';
      response.writeHead(found.status, { 'content-type': type });
      response.end(message ?? JSON.stringify(found.answer));
    })();
  });

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#left = conversation.exchanges.filter(({ path }) => path !== poll);
  }

  static async start(conversation: Conversation): Promise<ReplayServer> {
    const server = new ReplayServer(conversation);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The paths of recorded requests that were not sent. */
  get left(): readonly string[] {
    return this.#left.map(({ path }) => path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    bytes: Buffer,
  ): Pick<Exchange, 'status' | 'answer'> {
    const { openApi, exchanges } = this.#conversation;
    if (path === '/openapi.json') {
      const paths = Object.fromEntries(openApi.paths.map((each) => [each, {}]));
      return { status: 200, answer: { ...openApi, paths } };
    }
    const isPass = headers['content-type'] === 'application/x-protobuf';
    const body: unknown = isPass
      ? shownMessage('ForwardBackwardRequest', bytes)
      : (JSON.parse(bytes.toString() || 'null') as unknown);
    const isSame = (each: Exchange): boolean => each.method === method && each.path === path;
    const recorded =
      path === poll
        ? exchanges.find((each) => isSame(each) && idOf(each.body) === idOf(body))
        : this.#left.splice(this.#left.findIndex(isSame), this.#left.some(isSame) ? 1 : 0)[0];
    if (recorded === undefined) {
      this.others.push(`${method} ${path}`);
      return { status: 404, answer: { detail: 'Not Found' } };
    }
    const sides = {
      sent: { headers: headersOf(headers), body: plain(body) },
      recorded: { headers: headersOf(recorded.headers), body: plain(recorded.body) },
    };
    if (!isDeepStrictEqual(sides.sent, sides.recorded)) this.differences.push({ path, ...sides });
    return recorded;
  }
}

const idOf = (body: unknown): unknown => (body as { readonly request_id?: unknown } | null)?.request_id;

/** The headers that a server acts on. Any JSON is accepted by default, so only protobuf is asked for. */
function headersOf(headers: IncomingHttpHeaders | Exchange['headers']): Record<string, unknown> {
  const { accept, 'content-type': type, 'x-api-key': key } = headers;
  return {
    ...{ type, key, backpressure: headers['x-tinker-sampling-backpressure'] },
    wantsProtobuf: accept === 'application/x-protobuf',
  };
}

/** Fields that mean nothing with these values, or null. The SDK asks for the size of a result first. */
const silent: Readonly<Record<string, readonly unknown[]>> = {
  topk_prompt_logprobs: [0],
  allow_metadata_only: [true, false],
  user_metadata: [{}],
  stop: [[]],
  overwrite: [false],
};

function plain(value: unknown): unknown {
  if (isMessage(value)) return value.shown;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => {
        const values = [null, ...(silent[name] ?? [])];
        return !values.some((value) => isDeepStrictEqual(each, value));
      })
      .map(([name, each]) => [name, plain(each)]),
  );
}
