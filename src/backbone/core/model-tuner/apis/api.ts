import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../model.ts';
import type { Override } from '../sampling.ts';
import type { ApiMemory } from './memory.ts';

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
