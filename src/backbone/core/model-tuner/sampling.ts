import { hashText } from '../../../base/core/random.ts';
import type { ChatRequest } from './model.ts';

/** How training samples. */
export interface Sampling {
  /**
   * Whose options count: the config's, whatever a workflow asks for (AgentJet), or the request's, and the config's where
   * it has none (Trinity-RFT, whose clients speak to vLLM itself).
   */
  readonly decides?: 'config' | 'request';
  readonly temperature: number;
  readonly topP: number;
  /** Only validation has one; −1: all. */
  readonly topK?: number;
  /** Where the config has them. Default: `ajet.rollout`. */
  readonly section?: string;
  /** Tokens of one answer: upstream's `max_response_length_in_one_turn` − 16. */
  readonly maxTokens: number;
}

/** An option of a request that counts for nothing in training, as a sentence without its subject and full stop. */
export interface Override {
  readonly option: string;
  /** e.g. `asked for temperature 0; 0.9 is used, as in training (ajet.rollout.temperature)`. */
  readonly told: string;
}

/** What reaches the model: messages and tools are all that upstream passes on, the rest is how the answer travels. */
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

/** Options that have no say in what is sampled, so that nobody misses them. */
const harmless = new Set([
  'seed', // the run's own replaces it
  'user',
  'metadata',
  'store',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
]);

/** Values that ask for what happens anyway. */
const anyway: Readonly<Record<string, unknown>> = {
  tool_choice: 'auto',
  parallel_tool_calls: true,
  n: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
};

/**
 * The request as the model being trained gets it: its messages and tools, with the run's sampling. The token limit keeps
 * the newer of its two names where the request used that, since some servers know only one of them.
 */
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
      ...topKOf(sampling),
      seed,
    },
    overrides: given.flatMap(([option, asked]) => {
      if (Object.hasOwn(own, option)) return replaced(option, asked, own[option as keyof typeof own]);
      return option === 'stream' ? streamed(asked) : leftOut(option, asked);
    }),
  };
}

/** As it was asked, but for the number of answers: here each is a call of its own. */
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
  const told = `asked for n ${isOne ? 1 : show(n)}, which vLLM answers as often; here every call is answered once`;
  return { request, overrides: isOne ? [] : [{ option: 'n', told }] };
}

/** Servers other than vLLM and SGLang refuse the option, so it is sent only where it says something. */
function topKOf({ topK = -1 }: Sampling): { top_k?: number } {
  return topK > 0 ? { top_k: topK } : {};
}

function replaced(option: string, asked: unknown, by: { used: number; key: string }): Override[] {
  if (asked === by.used) return [];
  return [
    { option, told: `asked for ${option} ${show(asked)}; ${by.used} is used, as in training (${by.key})` },
  ];
}

function leftOut(option: string, asked: unknown): Override[] {
  if (passedOn.has(option) || harmless.has(option) || anyway[option] === asked) return [];
  if (option === 'response_format' && isPlainText(asked)) return [];
  return [
    {
      option,
      told: `asked for ${option} ${show(asked)}, which is left out: AgentJet passes on messages and tools only`,
    },
  ];
}

function streamed(asked: unknown): Override[] {
  if (asked !== true) return [];
  const told =
    'asked for a stream, which works here only: in training AgentJet refuses it by base URL and key, and its client answers with a whole completion';
  return [{ option: 'stream', told }];
}

function isPlainText(format: unknown): boolean {
  return typeof format === 'object' && format !== null && 'type' in format && format.type === 'text';
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/**
 * The request as a debug model gets it, which upstream asks through a client of OpenAI's: messages, tools and the choice
 * among them, with the server's own sampling. An empty list of tools is left out, since servers refuse it.
 */
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

/**
 * The seed of one call: another for each run, episode and call, the same whenever these are the same. 31 bits,
 * which every server takes.
 */
export function callSeed(runSeed: number, episodeSeed: number, call: number): number {
  return hashText(`run ${runSeed} episode ${episodeSeed} call ${call}`) % 2 ** 31;
}
