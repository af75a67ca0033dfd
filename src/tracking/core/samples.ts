import type { LengthLimits } from './records/tracedRun.ts';
import type { TracedMessage } from './records/trace.ts';

/**
 * A timeline as training gets it: a prompt and a response, cut to the longest that the config allows. Attention is 1 for
 * every token, and positions count from 0.
 */
export interface TrainingSample {
  /** Prompt, then response. */
  readonly inputIds: Int32Array;
  /** One per token: 1 counts in the loss. */
  readonly lossMask: Uint8Array;
  /** One per token, 0 where there is none. */
  readonly logprobs: Float32Array;
  readonly promptTokens: number;
  /** Tokens of the response that were cut, and how many of them would have counted. */
  readonly cutTokens: number;
  readonly cutTrainable: number;
  /** Tokens before the first that counts; more than `promptTokens` where the longest prompt is shorter. */
  readonly prefixTokens: number;
  /** Why AgentJet makes no sample of it; null: it does. */
  readonly refusal: string | null;
}

/**
 * Parts a timeline where the first trained message begins to count, at most 100 tokens into it, and no later than the
 * longest prompt; the response is cut at the longest response. A timeline ends with its reply, so there is no message
 * after it for upstream to drop.
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

/** Whether AgentJet makes a sample of a timeline, without making it. */
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

/** How many tokens of a mask count. */
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
  if (first < 1) return 'no message stands before the first that is trained';
  return prefixTokens >= tokens ? 'no token of its response counts in the loss' : null;
}
