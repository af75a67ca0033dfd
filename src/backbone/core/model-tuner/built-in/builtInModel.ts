import type { ChatCompletion, ChatModel, ChatRequest, ModelReply } from '../model.ts';
import {
  answer,
  parseRequest,
  type Sampling,
  joinSegments,
  type Answer,
  type Segment,
  messageText,
} from './answer.ts';
import { hashText, Random, hashDigits } from '../../../../base/core/random.ts';
import { canonicalJson } from '../../../../base/core/canonicalJson.ts';
import { splitTokens, type SplitTokens, pieceOf, type TokenPiece } from './tokens.ts';

type Choice = ChatCompletion['choices'][number];
type TokenLogprob = NonNullable<NonNullable<Choice['logprobs']>['content']>[number];
type ToolCall = NonNullable<Choice['message']['tool_calls']>[number];

interface CountedChoice {
  readonly choice: Choice;
  readonly tokens: number;
}

/** Cuts an answer at stop texts and the token limit, and adds log probabilities on request. `key` differs by choice. */
function writeChoice(
  request: ChatRequest,
  answer: Answer,
  index: number,
  key: string,
  splitTokens: SplitTokens,
): CountedChoice {
  const limit = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
  const content = cutAtStop(joinSegments(answer.segments), request.stop);
  const tokens = splitTokens(content);
  const kept = tokens.slice(0, limit);
  const room = limit - kept.length;
  const input = answer.toolCall === undefined ? [] : splitTokens(answer.toolCall.input);
  const keptInput = input.slice(0, room);
  const isCut = kept.length < tokens.length || keptInput.length < input.length;
  const toolCall = kept.length < tokens.length ? undefined : answer.toolCall;
  const calls = toolCall === undefined ? [] : [writeToolCall({ ...toolCall, input: joined(keptInput) }, key)];
  const hasContent = kept.length > 0 || calls.length === 0;
  const entries = kept.length > 0 ? tokenLogprobs(kept, answer.segments, request, key) : null;
  const choice: Choice = {
    index,
    finish_reason: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    logprobs: request.logprobs === true ? { content: entries, refusal: null } : null,
    message: {
      role: 'assistant',
      content: hasContent ? joined(kept) : null,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
  return { choice, tokens: kept.length + keptInput.length };
}

function joined(pieces: readonly TokenPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function writeToolCall(call: NonNullable<Answer['toolCall']>, key: string): ToolCall {
  const id = `call_${hashDigits(`call ${key}`, 24)}`;
  return call.type === 'function'
    ? { id, type: 'function', function: { name: call.name, arguments: call.input } }
    : { id, type: 'custom', custom: { name: call.name, input: call.input } };
}

function cutAtStop(text: string, stop: ChatRequest['stop']): string {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const found = stops.filter((item) => item !== '').map((item) => text.indexOf(item));
  const first = Math.min(...found.filter((at) => at >= 0));
  return first === Infinity ? text : text.slice(0, first);
}

/** The alternatives in `top_logprobs`. */
const otherTokens = [
  ...'the so is and of a we then that in it'.split(' ').map((word) => ` ${word}`),
  ...Array.from({ length: 10 }, (_, digit) => String(digit)),
];
const mostAlternatives = 20;

/** Only the tokens of an error are not the likeliest. The probabilities of a token and its alternatives sum to at most 1. */
function tokenLogprobs(
  tokens: readonly TokenPiece[],
  segments: readonly Segment[],
  request: ChatRequest,
  key: string,
): TokenLogprob[] {
  const random = new Random(`logprobs ${key}`);
  const doubts = segments.map(({ text, unsure }) => (unsure ? '?' : '.').repeat(text.length)).join('');
  let start = 0;
  return tokens.map((token) => {
    const end = start + token.text.length;
    const isUnsure = doubts.slice(start, end).includes('?');
    start = end;
    const probability = isUnsure ? 0.25 + 0.15 * random.next() : 0.8 + 0.199 * random.next();
    const top = alternatives(token, probability, Math.min(request.top_logprobs ?? 0, mostAlternatives));
    return { ...tokenEntry(token, probability), top_logprobs: top };
  });
}

function alternatives(
  token: TokenPiece,
  probability: number,
  count: number,
): ReturnType<typeof tokenEntry>[] {
  if (count === 0) return [];
  const others = otherTokens.filter((other) => other !== token.text).slice(0, count);
  // Each alternative takes three fifths of the probability that is left.
  const entries = others.map((other, at) => tokenEntry(pieceOf(other), (1 - probability) * 0.6 * 0.4 ** at));
  return [tokenEntry(token, probability), ...entries].sort((a, b) => b.logprob - a.logprob).slice(0, count);
}

function tokenEntry(
  { text, bytes }: TokenPiece,
  probability: number,
): { token: string; bytes: number[]; logprob: number } {
  return { token: text, bytes: [...bytes], logprob: Number(Math.log(probability).toPrecision(9)) };
}

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
export function createBuiltInModel({ seed, openTokens }: BuiltInModelOptions): ChatModel {
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
  return { kind: 'completion', completion: writeCompletion(request, choices, key) };
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
  request: ChatRequest,
  choices: readonly CountedChoice[],
  key: string,
): ChatCompletion {
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
