import type { IncomingMessage } from 'node:http';
import type { CancellationToken } from '../../base/core/cancellation.ts';
import type { CodedError } from '../../base/core/errors.ts';
import { writeUrl } from '../../base/core/httpTexts.ts';
import { postTarget, sendHttp } from '../../base/node/http.ts';
import { explainTransport } from '../../base/node/httpErrors.ts';
import { tinkerErrors } from '../core/errors.ts';

/** A file that a server sends. */
export interface Download {
  /** The size of the file; undefined if the server does not tell. */
  readonly bytes: number | undefined;
  /** Rejects if the connection breaks before the end. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

const task = 'download the checkpoint';
const mostRedirects = 5;

/**
 * Opens the file at a signed URL. No key is sent: it is for the server, and the file may be elsewhere. Cancellation also
 * ends the reading of the pieces.
 *
 * @param base the URL from which a relative one starts
 */
export async function openDownload(
  url: string,
  base: URL,
  cancellation: CancellationToken,
): Promise<Download> {
  let target = new URL(url, base);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    if (!/^https?:$/.test(target.protocol)) break;
    const response = await get(target, cancellation);
    const { statusCode: status = 0, headers } = response;
    if (status === 200) {
      const length = Number(headers['content-length'] ?? NaN);
      const bytes = Number.isNaN(length) ? undefined : length;
      return { bytes, pieces: piecesOf(response, target, cancellation) };
    }
    response.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined)
      throw tinkerErrors.rejected(task, status, response.statusMessage ?? '');
    target = new URL(headers.location, target);
  }
  throw tinkerErrors.badAnswer(task, `it leads to ${writeUrl(target.href)}`);
}

async function get(url: URL, cancellation: CancellationToken): Promise<IncomingMessage> {
  const { request, options } = postTarget(url, {});
  const target = { request, options: { ...options, method: 'GET' } };
  try {
    return await sendHttp({ target, body: '' }, cancellation);
  } catch (error) {
    throw failure(error, url, cancellation);
  }
}

async function* piecesOf(
  response: IncomingMessage,
  url: URL,
  cancellation: CancellationToken,
): AsyncIterable<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw failure(error, url, cancellation);
  }
}

function failure(error: unknown, url: URL, cancellation: CancellationToken): CodedError {
  if (cancellation.isCancelled) return tinkerErrors.cancelled(task);
  return tinkerErrors.noServer(writeUrl(url.href), explainTransport(error), error);
}
