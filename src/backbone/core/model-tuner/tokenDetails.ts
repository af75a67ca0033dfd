import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from './model.ts';

/** The token data of an answer in addition to its text. */
export interface TokenDetails {
  readonly logprobs: boolean;
  /** vLLM's `return_token_ids`. */
  readonly tokenIds: boolean;
}

export function requestedDetails(request: ChatRequest): TokenDetails {
  const { return_token_ids } = request as { return_token_ids?: unknown };
  return { logprobs: request.logprobs === true, tokenIds: return_token_ids === true };
}

/** Returns the request with `logprobs`, as training sends it. */
export function requestLogprobs(request: ChatRequest): ChatRequest {
  return { ...request, logprobs: true };
}

/** Removes the token details that the client did not request from an answer or a chunk. */
export function onlyRequestedDetails<T extends ChatCompletion | ChatCompletionChunk>(
  answer: T,
  asked: TokenDetails,
): T {
  const choices = Array.isArray(answer.choices) ? (answer.choices as readonly object[]) : undefined;
  const isPlain = (choices ?? []).every((choice) => withoutDetails(choice, asked) === choice);
  if (isPlain && (asked.tokenIds || !('prompt_token_ids' in answer))) return answer;
  return {
    ...(asked.tokenIds ? answer : without(answer, 'prompt_token_ids')),
    ...(choices && { choices: choices.map((choice) => withoutDetails(choice, asked)) }),
  } as T;
}

function withoutDetails(choice: object, asked: TokenDetails): object {
  const kept = asked.tokenIds ? choice : without(choice, 'token_ids');
  const hasLogprobs = 'logprobs' in kept && kept.logprobs !== null && kept.logprobs !== undefined;
  return asked.logprobs || !hasLogprobs ? kept : { ...kept, logprobs: null };
}

function without(fields: object, name: string): object {
  if (!(name in fields)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}
