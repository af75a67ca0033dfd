import { hashText } from '../../base/hash.ts';
import type { ChatRequest } from './model.ts';

/** How training samples: the config's values, whatever a workflow asks for. */
export interface Sampling {
  readonly temperature: number;
  readonly topP: number;
  /** Only validation has one; −1: all. */
  readonly topK?: number;
  /** Where the config has them. Default: `ajet.rollout`. */
  readonly section?: string;
  /** Tokens of one answer: upstream's `max_response_length_in_one_turn` − 16. */
  readonly maxTokens: number;
}

/** An option that the workflow set to another value than training would use. */
export interface Override {
  readonly option: string;
  readonly asked: number;
  readonly used: number;
  /** Where the used value comes from. */
  readonly key: string;
}

/**
 * The request as the model gets it. The token limit keeps the newer of its two names where the request used that,
 * since some servers know only one of them.
 */
export function applySampling(
  request: ChatRequest,
  sampling: Sampling,
  seed: number,
): { request: ChatRequest; overrides: Override[] } {
  const { max_tokens, max_completion_tokens, ...rest } = request;
  const limit =
    max_completion_tokens === undefined
      ? { max_tokens: sampling.maxTokens }
      : { max_completion_tokens: sampling.maxTokens };
  const section = sampling.section ?? 'ajet.rollout';
  const lengthKey = 'ajet.rollout.max_response_length_in_one_turn';
  return {
    request: {
      ...rest,
      ...limit,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      ...topKOf(sampling),
      seed,
    },
    overrides: [
      ...override('temperature', request.temperature, sampling.temperature, `${section}.temperature`),
      ...override('top_p', request.top_p, sampling.topP, `${section}.top_p`),
      ...override('max_tokens', max_tokens, sampling.maxTokens, lengthKey),
      ...override('max_completion_tokens', max_completion_tokens, sampling.maxTokens, lengthKey),
    ],
  };
}

/** Servers other than vLLM and SGLang refuse the option, so it is sent only where it says something. */
function topKOf({ topK = -1 }: Sampling): { top_k?: number } {
  return topK > 0 ? { top_k: topK } : {};
}

function override(option: string, asked: number | null | undefined, used: number, key: string): Override[] {
  return asked === undefined || asked === null || asked === used ? [] : [{ option, asked, used, key }];
}

/**
 * The seed of one call: another for each run, episode and call, the same whenever these are the same. 31 bits,
 * which every server takes.
 */
export function callSeed(runSeed: number, episodeSeed: number, call: number): number {
  return hashText(`run ${runSeed} episode ${episodeSeed} call ${call}`) % 2 ** 31;
}
