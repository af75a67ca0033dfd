import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../model.ts';
import type { Override } from '../sampling.ts';
import type { ApiMemory } from './memory.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { CallSource } from '../../../../tracking/core/records/trace.ts';
import type { AdapterRoute } from '../routing.ts';

/**
 * An API of the gateway. Every request is converted to a chat completion, so that routing, tracking, recording, replay and
 * fault injection work the same for all APIs. The answer is converted back.
 */
export interface Api {
  /** @param text the JSON text of the body */
  read(body: unknown, memory: ApiMemory, text: string): ApiRequest | { readonly failure: ModelFailure };
  /** Returns the response body for a failure. */
  failureBody(failure: ModelFailure): unknown;
}

export interface ApiRequest {
  readonly request: ChatRequest;
  /** Features of the request that training does not support. */
  readonly notes: readonly Override[];
  answer(head: AnswerHead): ApiAnswer;
}

export interface AnswerHead {
  /** Letters and digits, unique for every call of every episode. */
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  /** The request to the model. */
  readonly request: ChatRequest;
}

/** Writes one answer, either whole or as server-sent events. */
export interface ApiAnswer {
  /** The JSON value of the body. */
  whole(completion: ChatCompletion): unknown;
  /** Throws a {@link ModelFailureError} for an answer that the API cannot express. */
  chunk(chunk: ChatCompletionChunk): string;
  /** @param completion assembled from the chunks */
  end(completion: ChatCompletion): string;
  failed(failure: ModelFailure): string;
}

export function serverSentEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

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
