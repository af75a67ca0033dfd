import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface RayRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For all of it. */
  readonly milliseconds: number;
}

export interface RayResponse {
  readonly status: number;
  readonly text: string;
}

/** What is asked for is small; what is larger is not taken into memory. */
const mostBytes = 16 * 1024 * 1024;

/**
 * One request. Not by `fetch`: what it adds for browsers (`Sec-Fetch-…`) has Ray take it for one and refuse to change
 * anything. Redirections are not followed: the token would go along.
 */
export function askRay(url: URL, { method, headers, body, milliseconds }: RayRequest): Promise<RayResponse> {
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(milliseconds);
    const request = start(url, { method, headers: { ...headers, ...length }, signal }, (response) => {
      readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    request.on('error', (error) =>
      reject(signal.aborted ? new Error(`no answer in ${milliseconds} ms`) : error),
    );
    request.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes) throw new Error(`its answer is larger than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
