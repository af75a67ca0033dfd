import type { ChatCompletion, ChatModel, ChatRequest, ModelReply } from '../model.ts';
import { answer, parseRequest, type ParsedRequest, type Sampling } from './answer.ts';
import { writeChoice, type CountedChoice } from './completion.ts';
import { messageText } from './conversation.ts';
import { hashText, Random, hashDigits } from '../../../../base/core/random.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import { splitTokens, type SplitTokens } from './tokens.ts';

export interface BuiltInModelOptions {
  /** The seed of the run. With the request's own seed it decides what is sampled. */
  readonly seed: number;
  /** Opens the tokenizer that splits answers into tokens. Without one, or if it rejects, the model uses its own. */
  readonly openTokens?: () => Promise<SplitTokens>;
}

/** The approximate number of tokens that a chat template puts around each message. */
const tokensAroundMessage = 4;
/** The field `created` lies in the four months after this time (seconds since the epoch). */
const earliestCreation = 1_700_000_000;
const creationSpan = 10_000_000;

/**
 * Creates the built-in model, which needs no network, key or GPU. It gives a valid answer to any chat request: tool calls
 * and structured output that fit their JSON schema, or a text. It evaluates an arithmetic expression in the request, and
 * misreads it now and then, so that rewards differ. It cannot do anything else, and its answers say so.
 *
 * It is a pure function of its seed, the request and the tokenizer: the same input gives the same bytes. Another `seed`
 * in the request gives another sample, except at temperature 0.
 */
export function createBuiltInModel(options: BuiltInModelOptions): ChatModel {
  const { seed, openTokens } = options;
  return {
    description: `built-in (seed ${seed})`,
    // The tracker reports a tokenizer that cannot be opened. An answer needs none.
    respond: async (request) =>
      respond(request, seed, (await openTokens?.().catch(() => undefined)) ?? splitTokens),
  };
}

async function respond(request: ChatRequest, seed: number, split: SplitTokens): Promise<ModelReply> {
  const temperature = request.temperature ?? 1;
  const reading = parseRequest(request);
  const key = samplingKey(request, temperature === 0 ? undefined : seed);
  const choices: CountedChoice[] = [];
  for (let index = 0; index < (request.n ?? 1); index++) {
    const choiceKey = `${key} choice ${index}`;
    const sampling: Sampling = {
      temperature,
      random: new Random(choiceKey),
      variant: (hashText(key) % 1_000_000) + index,
    };
    const made = await answer(reading, sampling);
    if ('refusal' in made) {
      const error = { message: made.refusal, type: 'invalid_request_error', param: made.param, code: null };
      return { kind: 'error', status: 400, error };
    }
    choices.push(writeChoice(request, made, index, choiceKey, split));
  }
  return { kind: 'completion', completion: writeCompletion(reading, choices, key) };
}

/** The key of all that the answer depends on. Fields that only stream it or cut it short are not part of it. */
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

function writeCompletion(
  reading: ParsedRequest,
  choices: readonly CountedChoice[],
  key: string,
): ChatCompletion {
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
