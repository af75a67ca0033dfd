import { isRecord } from '../../../../../base/core/isRecord.ts';
import type {
  ContentBlock,
  Message,
  RawMessageStreamEvent,
  StopReason,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletion, ChatCompletionChunk, ModelFailure } from '../../model.ts';
import { serverSentEvent, type AnswerHead, type ApiAnswer } from '../api.ts';
import type { ApiMemory } from '../memory.ts';
import { finishOf, partsOf, PartStream, type Part, type PartEvents, type WholePart } from '../parts.ts';
import { messagesFailure } from './failure.ts';

/** An answer as Anthropic's Messages API gives it. */
export class MessagesAnswer implements ApiAnswer {
  readonly #head: AnswerHead;
  readonly #memory: ApiMemory;
  readonly #parts: PartStream;
  #isBegun = false;

  constructor(head: AnswerHead, memory: ApiMemory) {
    this.#head = head;
    this.#memory = memory;
    this.#parts = new PartStream(new BlockEvents(memory), head.id);
  }

  whole(completion: ChatCompletion): unknown {
    const content = partsOf(completion, this.#head.id).map((part) => blockOf(part, this.#memory));
    return {
      ...this.#message(completion.model),
      content,
      stop_reason: stopReasonOf(completion),
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
          stop_reason: stopReasonOf(completion),
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

class BlockEvents implements PartEvents {
  readonly #memory: ApiMemory;

  constructor(memory: ApiMemory) {
    this.#memory = memory;
  }

  opened(part: Part, index: number): string {
    return write({ type: 'content_block_start', index, content_block: emptyBlock(part) });
  }

  grown(part: Part, index: number, piece: string): string {
    return write({ type: 'content_block_delta', index, delta: deltaOf(part, piece) });
  }

  closed(whole: WholePart, index: number): string {
    blockOf(whole, this.#memory); // for the memory alone: the client has put it together itself
    return write({ type: 'content_block_stop', index });
  }
}

function blockOf({ part, text }: WholePart, memory: ApiMemory): ContentBlock {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: text, signature: '' };
    case 'text':
    case 'refusal':
      return { type: 'text', text, citations: null };
    case 'call': {
      const input = inputOf(text);
      memory.keepArguments(part.id, input, text);
      return { ...emptyCall(part), input };
    }
  }
}

function emptyBlock(part: Part): ContentBlock {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
    case 'refusal':
      return { type: 'text', text: '', citations: null };
    case 'call':
      return emptyCall(part);
  }
}

function emptyCall({
  id,
  name,
}: Extract<Part, { kind: 'call' }>): Extract<ContentBlock, { type: 'tool_use' }> {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
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

/**
 * Returns tool arguments as the object that the API requires. Text that is not a JSON object is returned under the key
 * that Anthropic's documentation recommends.
 */
function inputOf(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return { INVALID_JSON: text }; // models write such things
  }
  return isRecord(value) ? value : { INVALID_JSON: text };
}

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const satisfies Record<string, StopReason>;

function stopReasonOf(completion: ChatCompletion): StopReason {
  return stopReasons[finishOf(completion)];
}

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
