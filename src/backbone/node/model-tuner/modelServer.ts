import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { failureReply } from '../../core/model-tuner/apis/index.ts';
import { failures } from '../../core/model-tuner/failures.ts';
import type { HttpReply, RequestHandler } from '../../core/model-tuner/http.ts';
import { CancellationSource } from '../../../base/core/cancellation.ts';

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
function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    // Part by part: a long body is then not copied once more to be one.
    const decoder = new StringDecoder('utf8');
    let text = '';
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      text = size <= limit ? text + decoder.write(part) : '';
    });
    request.on('end', () => resolve(size > limit ? undefined : text + decoder.end()));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client is gone')));
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
 * What is written before the event loop turns goes out as one: what came in one piece leaves in one. It is the socket
 * that is held, since a response that is held sends its parts one by one in the end.
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
