import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../model.ts';
import type { Override } from '../sampling.ts';
import type { ApiMemory } from './memory.ts';

/**
 * A way to talk to the gateway. Every request becomes a chat completion, so that calls are routed, tracked, recorded,
 * replayed and damaged alike whichever API they come by, and its answer is written as the API has it.
 */
export interface Api {
  /** @param text the JSON that the body was parsed of */
  read(body: unknown, memory: ApiMemory, text: string): ApiRequest | { readonly failure: ModelFailure };
  /** The body that tells a failure. */
  failureBody(failure: ModelFailure): unknown;
}

export interface ApiRequest {
  readonly request: ChatRequest;
  /** What its client may take for granted, and training does not give. */
  readonly notes: readonly Override[];
  answer(head: AnswerHead): ApiAnswer;
}

export interface AnswerHead {
  /** Of letters and digits; another for every call of every episode. */
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  /** As the model gets it. */
  readonly request: ChatRequest;
}

/** One answer, written either whole or piece by piece: texts of server-sent events. */
export interface ApiAnswer {
  /** The JSON value of the body. */
  whole(completion: ChatCompletion): unknown;
  /** May throw a {@link ModelFailureError} for what the API cannot say. */
  chunk(chunk: ChatCompletionChunk): string;
  /** @param completion what the chunks added up to */
  end(completion: ChatCompletion): string;
  failed(failure: ModelFailure): string;
}

export function serverSentEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
