import { omit } from '../../../base/core/omit.ts';
import { hashText } from '../../../base/core/random.ts';
import type { ChatRequest, ChatCompletion, ChatCompletionChunk } from './model.ts';
import { isRecord } from '../../../base/core/isRecord.ts';

export interface Sampling {
  /** The options that count: the config's (AgentJet), or the request's with the config's as defaults (Trinity-RFT). */
  readonly decides?: 'config' | 'request';
  readonly temperature: number;
  readonly topP: number;
  /** Only validation has one; −1: all. */
  readonly topK?: number;
  /** The section of the config that has them. Default: `ajet.rollout`. */
  readonly section?: string;
  /** Tokens of one answer: upstream's `max_response_length_in_one_turn` − 16. */
  readonly maxTokens: number;
}

/** An option of a request that training ignores. */
export interface Override {
  readonly option: string;
  /** A sentence without subject and full stop, e.g. `asked for temperature 0; 0.9 is used, as in training (ajet.rollout.temperature)`. */
  readonly message: string;
}

/** The options that reach the model. Upstream passes on messages and tools only; the others affect the transport. */
const passedOn = new Set([
  'messages',
  'tools',
  'model',
  'stream',
  'stream_options',
  'logprobs',
  'top_logprobs',
  'return_token_ids',
]);

/** Options that do not affect sampling, so they are dropped without a warning. */
const harmless = new Set([
  'seed', // the run's own replaces it
  'user',
  'metadata',
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
]);

/** Values that equal the default behavior. */
const anyway: Readonly<Record<string, unknown>> = {
  tool_choice: 'auto',
  parallel_tool_calls: true,
  n: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
};

/** Returns messages and tools with the run's sampling. The token limit keeps its name: some servers know only one. */
export function applySampling(
  request: ChatRequest,
  sampling: Sampling,
  seed: number,
): { request: ChatRequest; overrides: Override[] } {
  if (sampling.decides === 'request') return withDefaults(request, sampling, seed);
  const limit =
    request.max_completion_tokens === undefined
      ? { max_tokens: sampling.maxTokens }
      : { max_completion_tokens: sampling.maxTokens };
  const section = sampling.section ?? 'ajet.rollout';
  const lengthKey = 'ajet.rollout.max_response_length_in_one_turn';
  const own = {
    temperature: { used: sampling.temperature, key: `${section}.temperature` },
    top_p: { used: sampling.topP, key: `${section}.top_p` },
    max_tokens: { used: sampling.maxTokens, key: lengthKey },
    max_completion_tokens: { used: sampling.maxTokens, key: lengthKey },
  };
  const given = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  const kept = Object.fromEntries(Object.entries(request).filter(([option]) => passedOn.has(option)));
  return {
    request: {
      ...(kept as unknown as ChatRequest),
      ...limit,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      // Sent only if it is limited, since servers other than vLLM and SGLang reject the option.
      ...((sampling.topK ?? -1) > 0 && { top_k: sampling.topK }),
      seed,
    },
    overrides: given.flatMap(([option, asked]) => {
      if (Object.hasOwn(own, option)) return replaced(option, asked, own[option as keyof typeof own]);
      return option === 'stream' ? streamed(asked) : leftOut(option, asked);
    }),
  };
}

/** Keeps the options of the request except the number of choices, which is always 1. */
function withDefaults(
  { n, ...asked }: ChatRequest,
  { temperature, topP, topK = -1, maxTokens }: Sampling,
  seed: number,
): { request: ChatRequest; overrides: Override[] } {
  const given = Object.fromEntries(
    Object.entries<unknown>(asked).filter(([, value]) => value !== undefined && value !== null),
  );
  const hasLimit = 'max_tokens' in given || 'max_completion_tokens' in given;
  const request = {
    ...(topK > 0 && { top_k: topK }),
    ...(!hasLimit && { max_tokens: maxTokens }),
    temperature,
    top_p: topP,
    seed,
    ...given,
  } as unknown as ChatRequest;
  const isOne = (n ?? 1) === 1;
  const message = `asked for n ${isOne ? 1 : show(n)}; vLLM would return as many choices, here every call gets one`;
  return { request, overrides: isOne ? [] : [{ option: 'n', message }] };
}

function replaced(option: string, asked: unknown, by: { used: number; key: string }): Override[] {
  if (asked === by.used) return [];
  return [
    { option, message: `asked for ${option} ${show(asked)}; ${by.used} is used, as in training (${by.key})` },
  ];
}

function leftOut(option: string, asked: unknown): Override[] {
  if (passedOn.has(option) || harmless.has(option) || anyway[option] === asked) return [];
  if (option === 'response_format' && isRecord(asked) && asked['type'] === 'text') return [];
  return [
    {
      option,
      message: `asked for ${option} ${show(asked)}, which is ignored: AgentJet passes on messages and tools only`,
    },
  ];
}

function streamed(asked: unknown): Override[] {
  if (asked !== true) return [];
  const message =
    'asked for a stream, which works in debug runs only: in training, AgentJet rejects it by base URL and key, and its client returns a whole completion';
  return [{ option: 'stream', message }];
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** Returns the request as upstream sends it. An empty list of tools is removed, since servers reject it. */
export function debugRequest(request: ChatRequest, model: string, seed: number): ChatRequest {
  const { messages, tools, tool_choice, stream, stream_options } = request;
  const hasTools = Array.isArray(tools) && tools.length > 0;
  return {
    model,
    messages,
    ...(hasTools && { tools, ...(tool_choice !== undefined && { tool_choice }) }),
    ...(stream !== undefined && { stream }),
    ...(stream_options !== undefined && { stream_options }),
    seed,
  };
}

/** Depends on the run, the episode and the call. It has 31 bits, which every server accepts. */
export function callSeed(runSeed: number, episodeSeed: number, call: number): number {
  return hashText(`run ${runSeed} episode ${episodeSeed} call ${call}`) % 2 ** 31;
}

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

/** Removes the token details that the client did not request from an answer or a chunk. */
export function onlyRequestedDetails<T extends ChatCompletion | ChatCompletionChunk>(
  answer: T,
  asked: TokenDetails,
): T {
  const choices = Array.isArray(answer.choices) ? (answer.choices as readonly object[]) : undefined;
  const isPlain = (choices ?? []).every((choice) => withoutDetails(choice, asked) === choice);
  if (isPlain && (asked.tokenIds || !('prompt_token_ids' in answer))) return answer;
  return {
    ...(asked.tokenIds ? answer : omit(answer, 'prompt_token_ids')),
    ...(choices && { choices: choices.map((choice) => withoutDetails(choice, asked)) }),
  } as T;
}

function withoutDetails(choice: object, asked: TokenDetails): object {
  const kept = asked.tokenIds || !('token_ids' in choice) ? choice : omit(choice, 'token_ids');
  const hasLogprobs = 'logprobs' in kept && kept.logprobs !== null && kept.logprobs !== undefined;
  return asked.logprobs || !hasLogprobs ? kept : { ...kept, logprobs: null };
}
