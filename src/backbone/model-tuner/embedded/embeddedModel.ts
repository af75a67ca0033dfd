import type { ChatCompletion, ChatModel, ChatRequest, ModelReply } from '../model.ts';
import { answer, readRequest, type Reading, type Sampling } from './answer.ts';
import { writeChoice, type CountedChoice } from './completion.ts';
import { messageText } from './conversation.ts';
import { hashText } from '../../../base/hash.ts';
import { canonicalJson } from '../../../base/canonicalJson.ts';
import { Random, hashDigits } from '../../../base/random.ts';
import { splitTokens, type SplitTokens } from './tokens.ts';

export interface EmbeddedModelOptions {
  /** Seed of the run: with the request's own seed it decides what is sampled. */
  readonly seed: number;
  /**
   * Gives the cut into tokens that log probabilities and lengths are told by; absent, or where it rejects, the
   * model's own.
   */
  readonly openTokens?: () => Promise<SplitTokens>;
}

/** Tokens that a chat template puts around each message, about. */
const tokensAroundMessage = 4;
/** Makes `created` plausible: the times of answers lie in the four months after it (seconds since the epoch). */
const earliestCreation = 1_700_000_000;
const creationSpan = 10_000_000;

/**
 * A stand-in for an LLM that needs no network, key or GPU: it reads arithmetic word problems by rule, calls tools
 * with arguments that fit their schemas, and makes slips now and then, the more the higher the temperature.
 *
 * It is a pure function of its seed, the request and the cut into tokens: the same give the same bytes. Another
 * `seed` in the request gives another sample, except at temperature 0, where there is nothing to sample.
 */
export function createEmbeddedModel(options: EmbeddedModelOptions): ChatModel {
  const { seed, openTokens } = options;
  return {
    description: `embedded (seed ${seed})`,
    // A tokenizer that cannot be opened is for others to report: an answer needs none.
    respond: async (request) =>
      respond(request, seed, (await openTokens?.().catch(() => undefined)) ?? splitTokens),
  };
}

function respond(request: ChatRequest, seed: number, split: SplitTokens): ModelReply {
  const temperature = request.temperature ?? 1;
  const reading = readRequest(request);
  const key = samplingKey(request, temperature === 0 ? undefined : seed);
  const choices: CountedChoice[] = [];
  for (let index = 0; index < (request.n ?? 1); index++) {
    const choiceKey = `${key} choice ${index}`;
    const sampling: Sampling = {
      temperature,
      random: new Random(choiceKey),
      variant: (hashText(key) % 1_000_000) + index,
    };
    const made = answer(reading, sampling);
    if ('refusal' in made) {
      const error = { message: made.refusal, type: 'invalid_request_error', param: made.param, code: null };
      return { kind: 'error', status: 400, error };
    }
    choices.push(writeChoice(request, made, index, choiceKey, split));
  }
  return { kind: 'completion', completion: writeCompletion(reading, choices, key) };
}

/** What the answer depends on; what only shapes its transport or cuts it short is left out. */
function samplingKey(request: ChatRequest, seed: number | undefined): string {
  return canonicalJson({
    seed,
    requestSeed: seed === undefined ? undefined : request.seed,
    messages: request.messages,
    tools: request.tools,
    toolChoice: request.tool_choice,
    responseFormat: request.response_format,
    temperature: request.temperature,
  });
}

function writeCompletion(reading: Reading, choices: readonly CountedChoice[], key: string): ChatCompletion {
  const { request } = reading;
  const promptTokens = countPromptTokens(request);
  const completionTokens = choices.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    id: `chatcmpl-${hashDigits(key, 24)}`,
    object: 'chat.completion',
    created: earliestCreation + (hashText(key) % creationSpan),
    model: request.model,
    choices: choices.map(({ choice }) => choice),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

function countPromptTokens(request: ChatRequest): number {
  const messages = request.messages.map((message) => {
    const calls =
      message.role === 'assistant' && message.tool_calls ? JSON.stringify(message.tool_calls) : '';
    return splitTokens(messageText(message) + calls).length + tokensAroundMessage;
  });
  const tools = request.tools === undefined ? 0 : splitTokens(JSON.stringify(request.tools)).length;
  return messages.reduce((sum, count) => sum + count, tools);
}
