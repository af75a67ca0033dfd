import type { LengthLimits } from './records/tracedRun.ts';
import type { TracedMessage } from './records/trace.ts';

/** A prompt and a response, truncated to the limits of the config. Attention is 1 everywhere, positions start at 0. */
export interface TrainingSample {
  /** The prompt and the response. */
  readonly inputIds: Int32Array;
  /** One per token. 1: the token counts in the loss. */
  readonly lossMask: Uint8Array;
  /** One per token, 0 if missing. */
  readonly logprobs: Float32Array;
  readonly promptTokens: number;
  /** The truncated tokens of the response, and the number of them that would have counted. */
  readonly cutTokens: number;
  readonly cutTrainable: number;
  /** The number of tokens before the first trained one. Exceeds `promptTokens` if the prompt is truncated. */
  readonly prefixTokens: number;
  /** The reason why AgentJet makes no sample of it. Null: it does. */
  readonly refusal: string | null;
}

/**
 * Splits a timeline at the first trained token, at most 100 tokens into its message and at most at the longest prompt.
 * Truncates the response. A timeline ends with its reply, so AgentJet has no later message to drop.
 */
export function sampleOf(
  messages: readonly TracedMessage[],
  limits: Pick<LengthLimits, 'promptLength' | 'responseLength'>,
): TrainingSample {
  const { inputIds, lossMask, logprobs } = concatenated(messages);
  const first = messages.findIndex(({ author }) => author === 'llm');
  const prefixTokens = prefixOf(messages.slice(0, Math.max(0, first)), lossMask);
  const promptTokens = Math.min(prefixTokens, limits.promptLength);
  const end = Math.min(inputIds.length, promptTokens + limits.responseLength);
  return {
    inputIds: inputIds.subarray(0, end),
    lossMask: lossMask.subarray(0, end),
    logprobs: logprobs.subarray(0, end),
    promptTokens,
    cutTokens: inputIds.length - end,
    cutTrainable: count(lossMask.subarray(end)),
    prefixTokens,
    refusal: refusalOf(first, prefixTokens, inputIds.length),
  };
}

/** Returns whether AgentJet makes a sample of a timeline. */
export function makesSample(messages: readonly TracedMessage[]): boolean {
  const first = messages.findIndex(({ author }) => author === 'llm');
  if (first < 1) return false;
  let header = 0;
  for (const { lossMask } of messages.slice(first)) {
    for (const counts of lossMask) {
      if (counts !== 0 || header === longestHeader) return true;
      header += 1;
    }
  }
  return false;
}

/** Returns the number of tokens that count in a mask. */
export function count(lossMask: Uint8Array): number {
  let sum = 0;
  for (const counts of lossMask) sum += counts;
  return sum;
}

const longestHeader = 100;

function concatenated(
  messages: readonly TracedMessage[],
): Pick<TrainingSample, 'inputIds' | 'lossMask' | 'logprobs'> {
  const length = messages.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const inputIds = new Int32Array(length);
  const lossMask = new Uint8Array(length);
  const logprobs = new Float32Array(length);
  let at = 0;
  for (const message of messages) {
    inputIds.set(message.tokenIds, at);
    lossMask.set(message.lossMask, at);
    message.logprobs?.forEach((logprob, offset) => {
      logprobs[at + offset] = Number.isNaN(logprob) ? 0 : logprob;
    });
    at += message.tokenIds.length;
  }
  return { inputIds, lossMask, logprobs };
}

function prefixOf(before: readonly TracedMessage[], lossMask: Uint8Array): number {
  let prefix = before.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  for (const last = prefix + longestHeader; prefix < last && lossMask[prefix] === 0;) prefix += 1;
  return prefix;
}

function refusalOf(first: number, prefixTokens: number, tokens: number): string | null {
  if (first < 1) return 'there is no message before the first trained message';
  return prefixTokens >= tokens ? 'no token of its response counts in the loss' : null;
}
