import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { CancellationToken } from '../base/cancellation.ts';
import { notOfAnEpisode } from './outsideCalls.ts';

export interface Post {
  readonly target: PostTarget;
  readonly body: string;
}

/** Where requests go, worked out once for all of them. */
export interface PostTarget {
  readonly request: typeof httpRequest;
  readonly options: RequestOptions;
}

/**
 * @param keepsConnections a request may then be sent twice, so it must do no harm to be heard twice
 */
export function postTarget(
  url: URL,
  headers: Readonly<Record<string, string>>,
  keepsConnections = false,
): PostTarget {
  const isSecure = url.protocol === 'https:';
  const agent = keepsConnections && agents[isSecure ? 'https' : 'http'];
  return {
    request: isSecure ? httpsRequest : httpRequest,
    options: { ...urlToHttpOptions(url), method: 'POST', headers, agent },
  };
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

function send({ target, body }: Post, cancellation: CancellationToken): Promise<Sent> {
  return new Promise((resolve) => {
    const request = notOfAnEpisode(() => target.request(target.options));
    const listening = cancellation.onCancelled(() => request.destroy());
    request.on('close', () => listening.dispose());
    request.on('response', (response) => resolve({ response }));
    // Once there is an answer, its own reading tells of errors.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve({ error, wasClosed });
    });
    // Of ASCII, text is as good as bytes and needs no copy; other text is written far more slowly.
    if (Buffer.byteLength(body) === body.length) request.end(body, 'latin1');
    else request.end(Buffer.from(body));
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

/** As many characters may wait to be read before the sender has to wait. */
const mostWaiting = 2 ** 20;

/**
 * The body as text, however its bytes were cut; rejects when the connection breaks before its end. All that has come
 * since the last part comes as one.
 */
export async function* readText(response: IncomingMessage): AsyncGenerator<string> {
  let waiting = '';
  let ended: { readonly error?: Error } | undefined;
  let wake = (): void => undefined;
  const end = (how: NonNullable<typeof ended>): void => {
    ended ??= how;
    wake();
  };
  const take = (part: string): void => {
    waiting += part;
    if (waiting.length > mostWaiting) response.pause();
    wake();
  };
  listenToEnd(response, end);
  response.setEncoding('utf8').on('data', take);
  try {
    for (;;) {
      if (waiting !== '') {
        const text = waiting;
        waiting = '';
        response.resume();
        yield text;
      } else if (ended !== undefined) {
        if (ended.error !== undefined) throw ended.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    response.off('data', take); // who has read enough may still want the connection
  }
}

export function readWhole(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    listenToEnd(response, ({ error }) => (error === undefined ? resolve(text) : reject(error)));
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
  });
}

/** The first that is told counts. */
function listenToEnd(response: IncomingMessage, end: (how: { readonly error?: Error }) => void): void {
  response.on('end', () => end({}));
  response.on('error', (error) => end({ error }));
  response.on('close', () => end({ error: new Error('the connection was closed') }));
}
