import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { AdapterRoute } from './routing.ts';

/** A request as the gateway sees it, whichever door it came through. */
export interface HttpRequest {
  readonly method: string;
  /** With the query, e.g. `/v1/models?limit=1`. */
  readonly path: string;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The route of a request from an adapter in this process. Other processes send it in a header. */
  readonly adapter?: AdapterRoute;
  /** The line of the user's code that made the call, if found in this process. Other processes send it in a header. */
  readonly source?: CallSource | undefined;
  /** Canceled when the client is gone. */
  readonly cancellation: CancellationToken;
}

/**
 * `body` is a whole text or, for a stream, its parts as they arrive. The receiver must iterate a streamed body to its
 * end, or cancel the request.
 */
export interface HttpReply {
  readonly status: number;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

export type RequestHandler = (request: HttpRequest) => Promise<HttpReply>;

export function jsonReply(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}
