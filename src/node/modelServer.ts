import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { failureReply } from '../backbone/model-tuner/apis/index.ts';
import { failures } from '../backbone/model-tuner/failures.ts';
import type { HttpReply, RequestHandler } from '../backbone/model-tuner/http.ts';
import { CancellationSource } from '../base/cancellation.ts';

/** 64 MiB: a long conversation with pictures fits. */
export const defaultBodyLimit = 64 * 2 ** 20;

export interface ModelServerOptions {
  /** Bytes of a request's body; more is refused with 413. */
  readonly bodyLimit?: number;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Ends every connection; settles when the port is free. */
  close(): Promise<void>;
}

/** Listens on the loopback interface, on a port of the system's choice. */
export async function startModelServer(
  handle: RequestHandler,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const bodyLimit = options.bodyLimit ?? defaultBodyLimit;
  // No time-out of any kind: a debugger may hold this process, and with it either end of a request, for hours.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 });
  server.timeout = 0;
  server.on('request', (request, response) => {
    serve(request, response, handle, bodyLimit).catch(() => response.destroy()); // the client is gone
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

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handle: RequestHandler,
  bodyLimit: number,
): Promise<void> {
  const cancellation = new CancellationSource();
  response.on('close', () => {
    if (!response.writableFinished) cancellation.cancel();
  });
  const body = await readBody(request, bodyLimit);
  if (body === undefined)
    return send(failureReply(failures.tooLarge(bodyLimit), request.url ?? '/'), response);
  const reply = await handle({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: plainHeaders(request),
    body,
    cancellation: cancellation.token,
  });
  return send(reply, response);
}

/** Undefined when there is more than `limit`; the rest is taken and dropped, so that the client hears the answer. */
async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= limit) parts.push(part);
    else parts.length = 0;
  }
  return size > limit ? undefined : Buffer.concat(parts).toString('utf8');
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

async function send(reply: HttpReply, response: ServerResponse): Promise<void> {
  if (typeof reply.body === 'string') {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
    response.end(reply.body);
    return;
  }
  const head = response.writeHead(reply.status, reply.headers);
  writeTogether(response, () => head.flushHeaders());
  for await (const part of reply.body) {
    if (response.destroyed) break;
    const goesOn = writeTogether(response, () => response.write(part));
    if (!goesOn) await drained(response);
  }
  // The end of a response that is corked would come before what was written.
  response.uncork();
  response.end();
}

/** What is written before the event loop turns goes out as one: what came in one piece leaves in one. */
function writeTogether<T>(response: ServerResponse, write: () => T): T {
  if (response.writableCorked === 0) {
    response.cork();
    setImmediate(() => response.uncork());
  }
  return write();
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
