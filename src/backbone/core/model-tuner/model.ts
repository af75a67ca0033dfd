import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
} from 'openai/resources/chat/completions';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';

export type { ChatCompletion, ChatCompletionChunk };

/** An OpenAI chat-completion request, already checked. Two deprecated fields that training needs are declared again. */
export interface ChatRequest extends Omit<ChatCompletionCreateParams, 'seed' | 'max_tokens'> {
  seed?: number | null;
  max_tokens?: number | null;
}

/** The `error` object of an OpenAI-shaped error body. */
export interface ModelError {
  readonly message: string;
  /** e.g. `invalid_request_error`, `rate_limit_error`. */
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export interface ModelFailure {
  readonly status: number;
  readonly error: ModelError;
  /** Response headers, lower-case, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same failure for the user: what is wrong and what to do. */
  readonly report?: CodedError;
}

/** The chunks of a stream. Chunks that arrived together form one batch, which is cheaper than one step per chunk. */
export type ChunkBatches = AsyncIterable<readonly ChatCompletionChunk[]>;

export type ModelReply =
  | { readonly kind: 'completion'; readonly completion: ChatCompletion }
  /** Passed on as it arrives. A failure in mid-stream rejects with a {@link ModelFailureError}. */
  | { readonly kind: 'stream'; readonly chunks: ChunkBatches }
  | ({ readonly kind: 'error' } & ModelFailure);

/** An answer that does not come from a model, named by upstream's request id. */
export type CannedReply = 'overflow_response';

/** Throws a {@link ModelFailure}, for example out of a stream. */
export class ModelFailureError extends Error {
  override readonly name = 'ModelFailureError';
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure, options?: { cause?: unknown }) {
    super(failure.error.message, options);
    this.failure = failure;
  }
}

export interface CallIdentity {
  /** Position of the episode in the run, from 0. */
  readonly episode: number;
  /** Position of the call in its episode, from 0, in order of arrival. */
  readonly call: number;
  readonly agentName: string;
  readonly targetTag: string;
}

/** The model that answers the workflow's LLM calls: the built-in model, a user's script, or an endpoint. */
export interface ChatModel {
  /** Shown to people, e.g. `built-in (seed 12345)`. */
  readonly description: string;
  /**
   * Answers one request. Never rejects for what a server would answer with an error status; `request.stream` may
   * be answered by a `completion` (the gateway cuts it into chunks). After cancellation it settles promptly.
   */
  respond(request: ChatRequest, cancellation: CancellationToken, call: CallIdentity): Promise<ModelReply>;
}
