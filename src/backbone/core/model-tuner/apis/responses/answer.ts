import type {
  Response,
  ResponseOutputItem,
  ResponseOutputText,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../../model.ts';
import { serverSentEvent, type AnswerHead, type ApiAnswer } from '../api.ts';
import {
  finishOf,
  PartStream,
  type Part,
  type PartEvents,
  type TokenLogprobs,
  type WholePart,
} from '../parts.ts';
import type { Fields } from '../reading.ts';

type Message = ChatRequest['messages'][number];
type State = 'completed' | 'incomplete' | 'in_progress';

/** An answer as OpenAI's Responses API gives it. */
export class ResponsesAnswer implements ApiAnswer, PartEvents {
  readonly #head: AnswerHead;
  readonly #asked: Fields;
  readonly #id: string;
  readonly #keep: (responseId: string, message: Message) => void;
  readonly #wantsLogprobs: boolean;
  readonly #parts: PartStream;
  readonly #output: ResponseOutputItem[] = [];
  #events = 0;
  #isBegun = false;
  /** The state of an item that is closed. The last one may be incomplete. */
  #ending: State = 'completed';

  /** @param keep called with an answer that a later request can continue */
  constructor(head: AnswerHead, asked: Fields, keep: (responseId: string, message: Message) => void) {
    const { include } = asked;
    this.#head = head;
    this.#asked = asked;
    this.#id = `resp_${head.id}`;
    this.#keep = keep;
    this.#wantsLogprobs = Array.isArray(include) && include.includes('message.output_text.logprobs');
    this.#parts = new PartStream(this, head.id);
  }

  whole(completion: ChatCompletion): unknown {
    this.#parts.addWhole(completion);
    this.#close(completion);
    return this.#final(completion);
  }

  chunk(chunk: ChatCompletionChunk): string {
    return this.#begin(chunk.model) + this.#parts.add(chunk);
  }

  end(completion: ChatCompletion): string {
    const events = this.#begin(completion.model) + this.#close(completion);
    const response = this.#final(completion);
    return events + this.#write(`response.${stateOf(completion)}`, { response });
  }

  /** Clients take `error` for a throw, and `response.failed` for an answer. */
  failed({ error }: ModelFailure): string {
    const { message, param, code } = error;
    return this.#write('error', { message, param, code });
  }

  opened(part: Part, index: number): string {
    const item = this.#item(part, index, 'in_progress', []);
    const added = this.#write('response.output_item.added', { item, output_index: index });
    return added + this.#writeContent('response.content_part.added', part, index, '', []);
  }

  grown(part: Part, index: number, delta: string, logprobs: TokenLogprobs): string {
    const { event } = formats[formatOf(part)];
    return this.#write(`response.${event}.delta`, {
      delta,
      ...(part.kind === 'text' && { logprobs: this.#logprobs(logprobs) }),
      ...this.#place(part, index),
    });
  }

  closed({ part, text, logprobs }: WholePart, index: number): string {
    const { event, field } = formats[formatOf(part)];
    const content = this.#content(part, text, logprobs);
    const item = this.#item(part, index, this.#ending, content === undefined ? [] : [content], text);
    this.#output.push(item);
    const done = this.#write(`response.${event}.done`, {
      [field]: text,
      ...(part.kind === 'text' && { logprobs: this.#logprobs(logprobs) }),
      ...this.#place(part, index),
    });
    return [
      done,
      this.#writeContent('response.content_part.done', part, index, text, logprobs),
      this.#write('response.output_item.done', { item, output_index: index }),
    ].join('');
  }

  #begin(model: string): string {
    if (this.#isBegun) return '';
    this.#isBegun = true;
    const response = this.#response('in_progress', model, []);
    return this.#write('response.created', { response }) + this.#write('response.in_progress', { response });
  }

  /** Keeps the answer, and closes its last item. An empty answer gets an item, so that the client can send it back. */
  #close(completion: ChatCompletion): string {
    const message = completion.choices[0]?.message;
    if (message !== undefined) this.#keep(this.#id, message);
    this.#ending = stateOf(completion);
    const events = this.#parts.close();
    if (this.#output.length > 0) return events;
    const part = { kind: 'text' } as const;
    return events + this.opened(part, 0) + this.closed({ part, text: '', logprobs: [] }, 0);
  }

  #final(completion: ChatCompletion): object {
    const state = stateOf(completion);
    const usage = usageOf(completion);
    const reason = finishOf(completion) === 'length' ? 'max_output_tokens' : 'content_filter';
    return {
      ...this.#response(state, completion.model, this.#output),
      ...(state === 'incomplete'
        ? { incomplete_details: { reason } }
        : { completed_at: this.#head.createdAt }),
      ...(usage && { usage }),
    };
  }

  /** Repeats the options of the request, with the actual sampling. The client itself adds `output_text`. */
  #response(
    status: State,
    model: string,
    output: ResponseOutputItem[],
  ): Omit<Response, 'output_text' | 'access_programs'> {
    const { request, createdAt } = this.#head;
    const asked = this.#asked as Partial<Response>;
    return {
      id: this.#id,
      object: 'response',
      created_at: createdAt,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      instructions: asked.instructions ?? null,
      max_output_tokens: request.max_completion_tokens ?? null,
      metadata: asked.metadata ?? {},
      model,
      output,
      parallel_tool_calls: asked.parallel_tool_calls ?? true,
      previous_response_id: asked.previous_response_id ?? null,
      reasoning: asked.reasoning ?? null,
      temperature: request.temperature ?? null,
      text: asked.text ?? { format: { type: 'text' } },
      tool_choice: asked.tool_choice ?? 'auto',
      tools: asked.tools ?? [],
      top_p: request.top_p ?? null,
      truncation: 'disabled',
    };
  }

  /** Returns an item of the output. While it is in progress, it has no content. */
  #item(part: Part, index: number, status: State, content: readonly object[], text = ''): ResponseOutputItem {
    const id = this.#itemId(part, index);
    const item =
      part.kind === 'reasoning'
        ? { id, type: 'reasoning', summary: [], content, status }
        : part.kind !== 'call'
          ? { id, type: 'message', status, role: 'assistant', content }
          : part.type === 'function'
            ? { id, type: 'function_call', status, arguments: text, call_id: part.id, name: part.name }
            : { id, type: 'custom_tool_call', call_id: part.id, input: text, name: part.name };
    return item as ResponseOutputItem;
  }

  #itemId(part: Part, index: number): string {
    return `${formats[formatOf(part)].prefix}_${this.#head.id}_${index}`;
  }

  /** Undefined for a tool call, which has no content parts. */
  #content(part: Part, text: string, logprobs: TokenLogprobs): object | undefined {
    switch (part.kind) {
      case 'reasoning':
        return { type: 'reasoning_text', text };
      case 'text':
        return { type: 'output_text', text, annotations: [], logprobs: this.#logprobs(logprobs) };
      case 'refusal':
        return { type: 'refusal', refusal: text };
      case 'call':
        return undefined;
    }
  }

  /** Returns an empty list if the client did not request log probabilities. */
  #logprobs(logprobs: TokenLogprobs): NonNullable<ResponseOutputText['logprobs']> {
    return (this.#wantsLogprobs ? logprobs : []).map(({ token, bytes, logprob, top_logprobs }) => ({
      token,
      bytes: bytes ?? [],
      logprob,
      top_logprobs: top_logprobs.map((top) => ({ ...top, bytes: top.bytes ?? [] })),
    }));
  }

  #place(part: Part, index: number): object {
    const item_id = this.#itemId(part, index);
    return { item_id, output_index: index, ...(part.kind !== 'call' && { content_index: 0 }) };
  }

  #writeContent(
    type: 'response.content_part.added' | 'response.content_part.done',
    part: Part,
    index: number,
    text: string,
    logprobs: TokenLogprobs,
  ): string {
    const content = this.#content(part, text, logprobs);
    return content === undefined ? '' : this.#write(type, { part: content, ...this.#place(part, index) });
  }

  #write(type: ResponseStreamEvent['type'], fields: object): string {
    return serverSentEvent(type, { type, ...fields, sequence_number: this.#events++ });
  }
}

/** The id prefix of each kind of part, the name of its events, and their field with the whole text. */
const formats = {
  reasoning: { prefix: 'rs', event: 'reasoning_text', field: 'text' },
  text: { prefix: 'msg', event: 'output_text', field: 'text' },
  refusal: { prefix: 'msg', event: 'refusal', field: 'refusal' },
  function: { prefix: 'fc', event: 'function_call_arguments', field: 'arguments' },
  custom: { prefix: 'ctc', event: 'custom_tool_call_input', field: 'input' },
} as const;

function formatOf(part: Part): keyof typeof formats {
  return part.kind === 'call' ? part.type : part.kind;
}

function stateOf(completion: ChatCompletion): 'completed' | 'incomplete' {
  const finish = finishOf(completion);
  return finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed';
}

function usageOf({ usage }: ChatCompletion): ResponseUsage | undefined {
  if (usage === undefined || (usage as unknown) === null) return undefined;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      cache_write_tokens: 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}
