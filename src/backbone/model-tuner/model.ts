import type { ChatCompletion, ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { CancellationToken } from '../../base/cancellation.ts';

export type { ChatCompletion, ChatCompletionChunk };
/** An OpenAI chat-completion request body, checked by the gateway before any model sees it. */
export type ChatRequest = ChatCompletionCreateParams;

/** The `error` object of an OpenAI-shaped error body. */
export interface ModelError {
  readonly message: string;
  /** e.g. `invalid_request_error`, `rate_limit_error`. */
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** A model's answer to one request. */
export type ModelReply =
  | { readonly kind: 'completion'; readonly completion: ChatCompletion }
  /** Passed on chunk by chunk as it arrives; the chunks are OpenAI's. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<ChatCompletionChunk> }
  | { readonly kind: 'error'; readonly status: number; readonly error: ModelError };

/** What answers the workflow's LLM calls: the embedded model, a script of the user's, or an endpoint. */
export interface ChatModel {
  /** For people, e.g. `embedded (seed 12345)`. */
  readonly description: string;
  /**
   * Answers one request. Never rejects for what a server would answer with an error status; `request.stream` may
   * be answered by a `completion` (the gateway cuts it into chunks). After cancellation it settles promptly.
   */
  respond(request: ChatRequest, cancellation: CancellationToken): Promise<ModelReply>;
}
