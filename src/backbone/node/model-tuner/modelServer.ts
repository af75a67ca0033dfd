import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { failureReply } from '../../core/model-tuner/apis/index.ts';
import { failures } from '../../core/model-tuner/failures.ts';
import type { HttpReply, RequestHandler } from '../../core/model-tuner/apis/api.ts';
import type { ModelFailure } from '../../core/model-tuner/model.ts';
import { checkPeers } from '../../../base/node/peerUser.ts';
import { CancellationSource } from '../../../base/core/cancellation.ts';
import { toDisposable, type Disposable } from '../../../base/core/disposable.ts';

/** 64 MiB, enough for a long conversation with pictures. */
export const defaultBodyLimit = 64 * 2 ** 20;

/** The number of bodies of the maximum size that are read at the same time. */
const bodiesAtOnce = 4;

export interface ModelServerOptions {
  /** The maximum size of a request's body in bytes. A larger one is refused with 413. */
  readonly bodyLimit?: number;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Closes every connection. Resolves when the port is free. */
  close(): Promise<void>;
}

/** Starts a server on the loopback interface, on a free port. */
export async function startModelServer(
  handle: RequestHandler,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  // No time-outs: a debugger can hold this process, and both ends of a request, for hours.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.timeout = 0;
  const requests = new Requests(handle, bodyLimit, checkPeers(server));
  server.on('request', (request, response) => {
    requests.serve(request, response).catch(() => response.destroy()); // the client is gone
  });
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => close(server) };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

class Requests {
  readonly #handle: RequestHandler;
  readonly #bodyLimit: number;
  readonly #isOther: (request: IncomingMessage) => boolean;
  readonly #memory: Budget;

  constructor(handle: RequestHandler, bodyLimit: number, isOther: (request: IncomingMessage) => boolean) {
    this.#handle = handle;
    this.#bodyLimit = bodyLimit;
    this.#isOther = isOther;
    this.#memory = new Budget(bodiesAtOnce * bodyLimit);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const cancellation = new CancellationSource();
    response.on('close', () => {
      if (!response.writableFinished) cancellation.cancel();
    });
    const path = request.url ?? '/';
    if (this.#isOther(request)) return send(failureReply(failures.foreignUser(), path), response);
    const reply = await this.#handle({
      method: request.method ?? 'GET',
      path,
      headers: plainHeaders(request),
      body: () => this.#read(request),
      cancellation: cancellation.token,
    });
    return send(reply, response);
  }

  async #read(request: IncomingMessage): Promise<string | { readonly failure: ModelFailure }> {
    const limit = this.#bodyLimit;
    const length = Math.min(Number(request.headers['content-length'] ?? limit), limit);
    const body = await this.#memory.use(length, () => readBody(request, limit));
    return body ?? { failure: failures.tooLarge(limit) };
  }
}

/** Limits the sum of what is used at the same time. The rest waits in order. */
class Budget {
  #free: number;
  readonly #waiting: { readonly amount: number; start(): void }[] = [];

  constructor(total: number) {
    this.#free = total;
  }

  async use<T>(amount: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push({ amount, start: resolve });
      this.#startNext();
    });
    try {
      return await task();
    } finally {
      this.#free += amount;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && next.amount <= this.#free;
      next = this.#waiting[0]
    ) {
      this.#free -= next.amount;
      this.#waiting.shift();
      next.start();
    }
  }
}

/** Undefined if larger than `limit`: the rest is read and dropped, so that the client gets the response. */
function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    // Decode part by part, so that a long body is not copied again.
    const decoder = new StringDecoder('utf8');
    let text = '';
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      text = size <= limit ? text + decoder.write(part) : '';
    });
    request.on('end', () => resolve(size > limit ? undefined : text + decoder.end()));
    request.on('error', reject);
    const gone = (): void => reject(new Error('the client closed the connection'));
    request.on('close', gone);
    if (request.destroyed) gone();
  });
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = typeof value === 'string' ? value : (value ?? []).join(', ');
  }
  return headers;
}

async function send(reply: HttpReply, response: ServerResponse): Promise<void> {
  if (typeof reply.body === 'string') {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
    response.end(reply.body);
    return;
  }
  response.writeHead(reply.status, reply.headers);
  holdTogether(response);
  response.flushHeaders();
  for await (const part of reply.body) {
    if (response.destroyed) break;
    holdTogether(response);
    if (!response.write(part)) await drained(response);
  }
  response.end();
}

/**
 * Sends everything that is written in one turn of the event loop at once. The socket is corked, because a corked
 * response sends its parts one by one in the end.
 */
function holdTogether({ socket }: ServerResponse): void {
  if (socket === null || socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}

/** Returns a `fetch` that calls the gateway within this process, without a socket. */
export function createModelFetch(handle: RequestHandler, options: ModelServerOptions = {}): typeof fetch {
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  return async (input, init) => {
    const client = new Client(init?.signal ?? (input instanceof Request ? input.signal : undefined));
    const request = new Request(input, { ...init, signal: null });
    const answered = answer(request, handle, bodyLimit, client);
    return Promise.race([answered, client.aborted]);
  };
}

/** The caller of one `fetch`, who may abort it. */
class Client implements Disposable {
  readonly cancellation = new CancellationSource();
  /** Rejects as `fetch` does on abortion: at once, with the signal's reason. */
  readonly aborted: Promise<never>;
  readonly #signal: AbortSignal | undefined;
  readonly #listening: Disposable;

  /** @param signal the caller's own: a `Request` made from it passes abortions on only while it is referenced */
  constructor(signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    this.#signal = signal;
    const cancel = (): void => this.cancellation.cancel();
    signal?.addEventListener('abort', cancel);
    this.#listening = toDisposable(() => signal?.removeEventListener('abort', cancel));
    this.aborted = new Promise((_, reject) => {
      this.cancellation.token.onCancelled(() => reject(this.reason));
    });
  }

  /** The reason of the abortion that the caller gave, mostly an error. */
  get reason(): Error {
    return this.#signal?.reason as Error;
  }

  /** Call it when the response is complete or no longer needed. */
  dispose(): void {
    this.#listening.dispose();
  }
}

async function answer(
  request: Request,
  handle: RequestHandler,
  bodyLimit: number,
  client: Client,
): Promise<Response> {
  const body = await request.text();
  if (Buffer.byteLength(body) > bodyLimit)
    return toResponse(failureReply(failures.tooLarge(bodyLimit), new URL(request.url).pathname), client);
  const url = new URL(request.url);
  const reply = await handle({
    method: request.method,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(request.headers), host: url.host },
    body,
    cancellation: client.cancellation.token,
  });
  return toResponse(reply, client);
}

function toResponse(reply: HttpReply, client: Client): Response {
  const head = { status: reply.status, headers: { ...reply.headers } };
  if (typeof reply.body !== 'string') return new Response(byteStream(reply.body, client), head);
  client.dispose();
  return new Response(reply.body, head);
}

/** Reads the next part only on demand, so that the reader sets the pace, as on a full socket. */
function byteStream(parts: AsyncIterable<string>, client: Client): ReadableStream<Uint8Array> {
  const { token } = client.cancellation;
  const iterator = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        token.onCancelled(() => controller.error(client.reason));
      },
      pull: async (controller) => {
        const next = await iterator.next();
        if (token.isCancelled) return;
        if (next.done !== true) {
          controller.enqueue(encoder.encode(next.value));
        } else {
          client.dispose();
          controller.close();
        }
      },
      cancel: () => {
        client.dispose();
        client.cancellation.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
