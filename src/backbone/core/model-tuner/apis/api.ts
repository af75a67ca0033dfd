import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../model.ts';
import type { Override } from '../sampling.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { CallSource } from '../../../../tracking/core/records/trace.ts';
import type { AdapterRoute } from '../routing.ts';

/** An API of the gateway: requests become chat completions, so that routing, recording and tracking know only those. */
export interface Api {
  read(body: unknown, memory: ApiMemory): ApiRequest | { readonly failure: ModelFailure };
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
  readonly request: ChatRequest;
}

/** Writes one answer, either whole or as server-sent events. */
export interface ApiAnswer {
  whole(completion: ChatCompletion): unknown;
  /** Throws a {@link ModelFailureError} for an answer that the API cannot express. */
  chunk(chunk: ChatCompletionChunk): string;
  end(completion: ChatCompletion): string;
  failed(failure: ModelFailure): string;
}

/** Stores values of an episode that the clients of stateful APIs do not send again. */
export class ApiMemory {
  readonly #conversations = new Map<string, ChatRequest['messages']>();
  readonly #arguments = new Map<string, string>();

  /** Returns the messages of a response and all before it; undefined for an unknown response. */
  conversation(responseId: string): ChatRequest['messages'] | undefined {
    return this.#conversations.get(responseId);
  }

  keepConversation(responseId: string, messages: ChatRequest['messages']): void {
    this.#conversations.set(responseId, messages);
  }

  /** Returns the original text of the arguments, which the API made an object. Another would change the history. */
  argumentsOf(callId: string, input: unknown): string | undefined {
    return this.#arguments.get(`${callId}\n${canonicalJson(input)}`);
  }

  keepArguments(callId: string, input: unknown, text: string): void {
    this.#arguments.set(`${callId}\n${canonicalJson(input)}`, text);
  }

  clear(): void {
    this.#conversations.clear();
    this.#arguments.clear();
  }
}

export function serverSentEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface HttpRequest {
  readonly method: string;
  /** With the query, e.g. `/v1/models?limit=1`. */
  readonly path: string;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A function reads it only after the checks of the headers, and rejects if the client is gone. */
  readonly body: string | (() => Promise<string | { readonly failure: ModelFailure }>);
  /** The route of a request from an adapter in this process. Other processes send it in a header. */
  readonly adapter?: AdapterRoute;
  /** The line of the user's code that made the call, if found in this process. Other processes send it in a header. */
  readonly source?: CallSource | undefined;
  /** Canceled when the client is gone. */
  readonly cancellation: CancellationToken;
}

/** `body` is whole, or the parts of a stream: the receiver must iterate them to the end, or cancel the request. */
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
