/** A model on a Tinker server as a chat model: renders the prompt, samples tokens, and reads the reply from them. */
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import { messageOf } from '../../../../base/core/errors.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { SampledSequence, Sampler } from '../../../../tinker/core/service.ts';
import { type KeptMessage, readMessages } from '../../../../tracking/core/messages.ts';
import { textOfBytes } from '../../../../tracking/core/textOfBytes.ts';
import type { ModelText, Tokenizer } from '../../../../tracking/core/tokenizer.ts';
import { preparedTools } from '../../../../tracking/core/toolCalls.ts';
import { failures } from '../failures.ts';
import type { CallIdentity, ChatCompletion, ChatModel, ChatRequest, ModelReply } from '../model.ts';
import { failureFrom } from '../stream.ts';
import { EpisodePrompts, type Prompt } from './episodePrompts.ts';
import { readReply, type ToolParser } from './toolCallFormats.ts';

export interface TinkerModelOptions {
  readonly description: string;
  /** Returns the weights that answer now. */
  readonly sampler: () => Sampler;
  /** The tokenizer and the template of the model. */
  readonly text: () => Promise<ModelText>;
  /** The format of tool calls in replies. */
  readonly toolParser: ToolParser;
  /** The most tokens of a prompt and its reply; undefined: the server does not say. */
  readonly maxContextLength: number | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Creates the model. Its replies have token ids and log probabilities exactly as sampled, the end token included. */
export function createTinkerModel(options: TinkerModelOptions): TinkerModel {
  return new TinkerModel(options);
}

export class TinkerModel implements ChatModel {
  readonly #options: TinkerModelOptions;
  /** By the number of the episode. */
  readonly #episodes = new Map<number, EpisodePrompts>();

  constructor(options: TinkerModelOptions) {
    this.#options = options;
  }

  get description(): string {
    return this.#options.description;
  }

  /** Forgets the replies of all episodes, because their numbers are used again. */
  forget(): void {
    this.#episodes.clear();
  }

  async respond(
    request: ChatRequest,
    cancellation: CancellationToken,
    { episode, call }: CallIdentity,
  ): Promise<ModelReply> {
    const text = await this.#options.text();
    const prompts = this.#promptsOf(episode, text);
    const { kept } = readMessages(request.messages, false);
    const tools = preparedTools(Array.isArray(request.tools) ? request.tools : null);
    let prompt: Prompt;
    try {
      prompt = prompts.render(kept, tools);
    } catch (error) {
      return { kind: 'error', ...failures.invalid(messageOf(error), 'messages') };
    }
    const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? defaultLength;
    const { maxContextLength = Infinity } = this.#options;
    if (prompt.ids.length + maxTokens > maxContextLength) {
      return { kind: 'error', ...failures.tooLong(prompt.ids.length, maxTokens, maxContextLength) };
    }
    const { top_k } = request as { top_k?: unknown };
    try {
      const sequences = await this.#options.sampler().sample(
        prompt.ids,
        {
          samples: request.n ?? 1,
          maxTokens,
          temperature: request.temperature ?? 1,
          topP: request.top_p ?? 1,
          topK: typeof top_k === 'number' ? top_k : -1,
          stop: [text.tokenizer.eos],
          seed: request.seed ?? undefined,
        },
        cancellation,
      );
      const choices = sequences.map((sequence, index) =>
        choiceOf(cutAtStop(sequence, request.stop, text.tokenizer), {
          ...{ index, place: call, tokenizer: text.tokenizer },
          ...{ parser: this.#options.toolParser, tools },
        }),
      );
      for (const { message, token_ids } of choices) {
        prompts.answered(prompt, keptReply(message), Int32Array.from(token_ids));
      }
      return { kind: 'completion', completion: this.#completion(request, choices, prompt.ids.length) };
    } catch (error) {
      return { kind: 'error', ...failureFrom(error) };
    }
  }

  #promptsOf(episode: number, text: ModelText): EpisodePrompts {
    const prompts = this.#episodes.get(episode) ?? new EpisodePrompts(text);
    this.#episodes.set(episode, prompts);
    return prompts;
  }

  #completion(request: ChatRequest, choices: readonly TokenChoice[], promptTokens: number): ChatCompletion {
    const completionTokens = choices.reduce((sum, { token_ids }) => sum + token_ids.length, 0);
    return {
      id: '',
      object: 'chat.completion',
      created: Math.floor(this.#options.clock.now() / 1000),
      model: request.model,
      choices: [...choices],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
    };
  }
}

/** The longest reply if neither the request nor the config limits it. */
const defaultLength = 1_024;

type Choice = ChatCompletion['choices'][number];
/** A choice with its ids, in the field of vLLM. */
type TokenChoice = Choice & { readonly token_ids: number[] };

interface Reading {
  readonly index: number;
  /** The number of the call. */
  readonly place: number;
  readonly tokenizer: Tokenizer;
  readonly parser: ToolParser;
  readonly tools: readonly unknown[] | undefined;
}

interface CutSequence extends Pick<SampledSequence, 'tokenIds' | 'logprobs' | 'stopReason'> {
  /** The text before the stop text; undefined: no stop text occurs. */
  readonly text?: string;
}

/** Cuts a reply after the token that completes a stop text. Servers cannot combine stop texts with an end token. */
function cutAtStop(sequence: SampledSequence, stop: ChatRequest['stop'], tokenizer: Tokenizer): CutSequence {
  const stops = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');
  if (stops.length === 0) return sequence;
  const { tokenIds, logprobs } = sequence;
  for (let length = 1; length <= tokenIds.length; length++) {
    const text = decoded(tokenIds.subarray(0, length), tokenizer);
    const places = stops.map((each) => text.indexOf(each)).filter((at) => at >= 0);
    if (places.length === 0) continue;
    return {
      tokenIds: tokenIds.subarray(0, length),
      logprobs: logprobs.subarray(0, length),
      stopReason: 'stop',
      text: text.slice(0, Math.min(...places)),
    };
  }
  return sequence;
}

function choiceOf(sequence: CutSequence, { index, tokenizer, ...reading }: Reading): TokenChoice {
  const { tokenIds, logprobs, stopReason } = sequence;
  const body = tokenIds.at(-1) === tokenizer.eos ? tokenIds.subarray(0, -1) : tokenIds;
  const written = readReply(sequence.text ?? decoded(body, tokenizer), reading);
  const calls = toolCallsOf(written.toolCalls);
  return {
    index,
    finish_reason: stopReason === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    message: {
      role: 'assistant',
      content: written.text,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    logprobs: {
      content: Array.from(tokenIds, (id, at) => {
        const bytes = tokenizer.bytesOf(id);
        return {
          token: utf8.decode(bytes),
          bytes: [...bytes],
          logprob: logprobs[at] ?? NaN,
          top_logprobs: [],
        };
      }),
      refusal: null,
    },
    token_ids: [...tokenIds],
  };
}

function toolCallsOf(json: string | null): NonNullable<Choice['message']['tool_calls']> {
  const calls: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(calls) && calls.every(isRecord)
    ? (calls as unknown as NonNullable<Choice['message']['tool_calls']>)
    : [];
}

function keptReply({ content, tool_calls }: Choice['message']): KeptMessage {
  return { role: 'assistant', text: content ?? '', toolCalls: tool_calls ?? null, toolCallId: null };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Parts of characters become U+FFFD. */
function decoded(tokenIds: Int32Array, tokenizer: Tokenizer): string {
  const bytes = Array.from(tokenIds).flatMap((id) => [...tokenizer.bytesOf(id)]);
  return textOfBytes(Uint8Array.from(bytes)) ?? utf8.decode(Uint8Array.from(bytes));
}
