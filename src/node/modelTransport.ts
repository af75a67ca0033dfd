import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { CancellationToken } from '../base/cancellation.ts';
import { notOfAnEpisode } from './outsideCalls.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether connections are kept. A request may then be sent twice, so it must do no harm to be heard twice. */
  readonly keepsConnections?: boolean;
}

/**
 * Sends a request and settles with the head of its answer; rejects when none came. On cancellation the connection is
 * cut, which also ends a body that is being read.
 *
 * Not `fetch`: that gives up after 300 s without a byte, which is no time at all at a breakpoint. Of
 * connections that are kept, one that the server has closed meanwhile, as it may while a debugger holds this process,
 * shows only when it is used again; the request is then sent anew.
 */
export async function post(message: Post, cancellation: CancellationToken): Promise<IncomingMessage> {
  for (;;) {
    const sent = await send(message, cancellation);
    if ('response' in sent) return sent.response;
    if (!sent.wasClosed || cancellation.isCancelled) throw sent.error;
  }
}

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

type Sent =
  | { readonly response: IncomingMessage }
  /** `wasClosed`: the connection was one that had been kept, and no longer stood. */
  | { readonly error: Error; readonly wasClosed: boolean };

function send(
  { url, headers, body, keepsConnections }: Post,
  cancellation: CancellationToken,
): Promise<Sent> {
  return new Promise((resolve) => {
    const options = { method: 'POST', headers };
    const request = notOfAnEpisode(() =>
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: keepsConnections === true && agents.https })
        : httpRequest(url, { ...options, agent: keepsConnections === true && agents.http }),
    );
    const listening = cancellation.onCancelled(() => request.destroy());
    request.on('close', () => listening.dispose());
    request.on('response', (response) => resolve({ response }));
    // Once there is an answer, its own reading tells of errors.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve({ error, wasClosed });
    });
    // Text is written far more slowly.
    request.end(Buffer.from(body));
  });
}

/** A server that has said all it had to say has this long to end its answer, in milliseconds. */
const grace = 1_000;

/** Gives the connection back, once its answer is at an end; it is cut where that does not come. */
export function giveBack(response: IncomingMessage): void {
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), grace);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
  response.once('error', () => undefined); // nobody reads on
  response.resume();
}

/** The body as text, however its bytes were cut; rejects when the connection breaks before its end. */
export async function* readText(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  // Who has read enough may still want the connection.
  for await (const part of response.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) yield part;
}

export async function readWhole(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of readText(response)) text += part;
  return text;
}
