import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CancellationToken } from '../base/cancellation.ts';
import { notOfAnEpisode } from './outsideCalls.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request and settles with the head of its answer; rejects when none came. On cancellation the connection is
 * cut, which also ends a body that is being read.
 *
 * Not `fetch`: that gives up after 300 s without a byte, which is no time at all at a breakpoint. Nor a pool of
 * connections: the server may have closed what a debugger kept waiting in it.
 */
export function post(
  { url, headers, body }: Post,
  cancellation: CancellationToken,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = notOfAnEpisode(() => send(url, { method: 'POST', headers, agent: false }));
    const listening = cancellation.onCancelled(() => request.destroy());
    request.on('close', () => listening.dispose());
    request.on('response', resolve);
    request.on('error', reject); // once there is an answer, its own reading tells of errors
    request.end(body);
  });
}

/** The body as text, however its bytes were cut; rejects when the connection breaks before its end. */
export async function* readText(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  for await (const part of response as AsyncIterable<string>) yield part;
}

export async function readWhole(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of readText(response)) text += part;
  return text;
}
