import {
  Agent as HttpAgent,
  request as httpRequest,
  type AgentOptions,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import process from 'node:process';
import { buffer, text } from 'node:stream/consumers';
import { urlToHttpOptions } from 'node:url';
import type { CancellationToken } from '../core/cancellation.ts';

export interface HttpMessage {
  readonly target: HttpTarget;
  readonly body: string | Uint8Array;
}

/** A target of requests, computed once. */
export interface HttpTarget {
  readonly request: typeof httpRequest;
  readonly options: RequestOptions;
}

/**
 * Returns a target for `sendHttp` with the method POST. Requests go through the proxies that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, where
 * this version of Node.js supports that (22.21 and 24.5 or later). Requests to this machine never do.
 *
 * @param keepsConnections whether to reuse connections. A request may then be sent twice, so it must be safe to repeat.
 */
export function postTarget(
  url: URL,
  headers: Readonly<Record<string, string>>,
  keepsConnections = false,
): HttpTarget {
  const isSecure = url.protocol === 'https:';
  const agents = isLoopback(url) ? directAgents : proxyAgents();
  const agent = agents[isSecure ? 'https' : 'http'][keepsConnections ? 'kept' : 'once'];
  return {
    request: isSecure ? httpsRequest : httpRequest,
    options: { ...urlToHttpOptions(url), method: 'POST', headers, agent },
  };
}

/** Returns whether the host of a URL is this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

type Agents = ReturnType<typeof agentsWith>;

function agentsWith(options: AgentOptions & { readonly proxyEnv?: NodeJS.ProcessEnv }) {
  const kept = { ...options, keepAlive: true };
  return {
    http: { kept: new HttpAgent(kept), once: new HttpAgent(options) },
    https: { kept: new HttpsAgent(kept), once: new HttpsAgent(options) },
  };
}

const directAgents = agentsWith({});
let madeProxyAgents: Agents | undefined;

/** Agents read the variables when they are made. */
function proxyAgents(): Agents {
  return (madeProxyAgents ??= agentsWith({ proxyEnv: process.env }));
}

/**
 * Sends a request. Resolves with the head of its response, rejects when there is none. Cancellation closes the connection,
 * which also ends a body that is being read.
 *
 * `fetch` does not fit: it fails after 300 s without a byte, and a breakpoint can hold this process for longer. A reused
 * connection that the server has closed in the meantime fails only when it is used. The request is then sent again.
 */
export async function sendHttp(
  message: HttpMessage,
  cancellation: CancellationToken,
): Promise<IncomingMessage> {
  for (;;) {
    const sent = await send(message, cancellation);
    if ('response' in sent) return sent.response;
    if (!sent.wasClosed || cancellation.isCancelled) throw sent.error;
  }
}

type Sent =
  | { readonly response: IncomingMessage }
  /** `wasClosed`: the server had closed the reused connection. */
  | { readonly error: Error; readonly wasClosed: boolean };

function send({ target, body }: HttpMessage, cancellation: CancellationToken): Promise<Sent> {
  return new Promise((resolve) => {
    const request = target.request(target.options);
    const listening = cancellation.onCancelled(() => request.destroy());
    request.on('close', () => listening.dispose());
    request.on('response', (response) => resolve({ response }));
    // After the response, reading it reports errors.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve({ error, wasClosed });
    });
    // ASCII text needs no copy as Latin-1. Node.js writes UTF-8 text far more slowly than bytes.
    if (typeof body !== 'string') request.end(body);
    else if (Buffer.byteLength(body) === body.length) request.end(body, 'latin1');
    else request.end(Buffer.from(body));
  });
}

/** Milliseconds that a server has to end a response after its last event. */
const grace = 1_000;

/** Returns the connection to its agent once the response ends, or closes it where that does not happen in time. */
export function releaseConnection(response: IncomingMessage): void {
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), grace);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
  response.once('error', () => undefined); // no one reads the rest
  response.resume();
}

/** Yields the body as text, all that is there at once. Rejects when the connection breaks. Stopping early keeps it open. */
export function readText(response: IncomingMessage): AsyncIterable<string> {
  return response.setEncoding('utf8').iterator({ destroyOnReturn: false }) as AsyncIterable<string>;
}

/** Returns the whole body. Rejects when the connection breaks before its end. */
export function readWhole(response: IncomingMessage): Promise<string> {
  return text(response);
}

/** Returns the whole body as bytes. Rejects when the connection breaks before its end. */
export function readBytes(response: IncomingMessage): Promise<Uint8Array> {
  return buffer(response);
}
