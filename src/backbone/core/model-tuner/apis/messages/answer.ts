import { isRecord } from '../../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../../base/core/parseJson.ts';
import type {
  ContentBlock,
  Message,
  RawMessageStreamEvent,
  StopReason,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletion, ChatCompletionChunk, ModelFailure } from '../../model.ts';
import { serverSentEvent, type AnswerHead, type ApiAnswer, type ApiMemory } from '../api.ts';
import { finishOf, PartStream, type Part, type PartEvents, type WholePart } from '../parts.ts';

/** An answer as Anthropic's Messages API gives it. */
export class MessagesAnswer implements ApiAnswer, PartEvents {
  readonly #head: AnswerHead;
  readonly #memory: ApiMemory;
  readonly #parts: PartStream;
  readonly #blocks: ContentBlock[] = [];
  #isBegun = false;

  constructor(head: AnswerHead, memory: ApiMemory) {
    this.#head = head;
    this.#memory = memory;
    this.#parts = new PartStream(this, head.id);
  }

  whole(completion: ChatCompletion): unknown {
    this.#parts.addWhole(completion);
    this.#parts.close();
    return {
      ...this.#message(completion.model),
      content: this.#blocks,
      stop_reason: stopReasons[finishOf(completion)],
      usage: usageOf(completion),
    };
  }

  chunk(chunk: ChatCompletionChunk): string {
    return this.#begin(chunk.model) + this.#parts.add(chunk);
  }

  end(completion: ChatCompletion): string {
    const { input_tokens, output_tokens, cache_read_input_tokens } = usageOf(completion);
    return [
      this.#begin(completion.model),
      this.#parts.close(),
      write({
        type: 'message_delta',
        delta: {
          stop_reason: stopReasons[finishOf(completion)],
          stop_sequence: null,
          stop_details: null,
          container: null,
        },
        usage: {
          input_tokens,
          output_tokens,
          cache_read_input_tokens,
          cache_creation_input_tokens: null,
          output_tokens_details: null,
          server_tool_use: null,
        },
      }),
      write({ type: 'message_stop' }),
    ].join('');
  }

  failed(failure: ModelFailure): string {
    return serverSentEvent('error', messagesFailure(failure));
  }

  opened(part: Part, index: number): string {
    return write({ type: 'content_block_start', index, content_block: blockOf(part, '', {}) });
  }

  grown(part: Part, index: number, piece: string): string {
    return write({ type: 'content_block_delta', index, delta: deltaOf(part, piece) });
  }

  closed({ part, text }: WholePart, index: number): string {
    const input = part.kind === 'call' ? inputOf(text) : {};
    if (part.kind === 'call') this.#memory.keepArguments(part.id, input, text);
    this.#blocks.push(blockOf(part, text, input));
    return write({ type: 'content_block_stop', index });
  }

  #begin(model: string): string {
    if (this.#isBegun) return '';
    this.#isBegun = true;
    return write({ type: 'message_start', message: this.#message(model) });
  }

  /** Written before the content. The usage of a stream follows at its end. */
  #message(model: string): Message {
    return {
      id: `msg_${this.#head.id}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: { ...noUsage },
    };
  }
}

function write(event: RawMessageStreamEvent): string {
  return serverSentEvent(event.type, event);
}

/** @param input of a tool call; a stream sends it after the block has begun */
function blockOf(part: Part, text: string, input: unknown): ContentBlock {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature: '' };
    case 'text':
    case 'refusal':
      return { type: 'text', text, citations: null };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input, caller: { type: 'direct' } };
  }
}

function deltaOf(
  part: Part,
  piece: string,
): Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta'] {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking_delta', thinking: piece };
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text: piece };
    case 'call':
      return { type: 'input_json_delta', partial_json: piece };
  }
}

/** Returns text that is not a JSON object under the key that Anthropic's documentation recommends. */
function inputOf(text: string): unknown {
  const value = parseJson(text === '' ? '{}' : text);
  return isRecord(value) ? value : { INVALID_JSON: text };
}

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const satisfies Record<string, StopReason>;

const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};

function usageOf(completion: ChatCompletion): Usage {
  const usage = completion.usage as ChatCompletion['usage'] | null;
  return {
    ...noUsage,
    input_tokens: usage?.prompt_tokens ?? 0,
    output_tokens: usage?.completion_tokens ?? 0,
    cache_read_input_tokens: usage?.prompt_tokens_details?.cached_tokens ?? null,
  };
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function messagesFailure({ status, error }: ModelFailure): unknown {
  const type = errorTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message: error.message }, request_id: null };
}
