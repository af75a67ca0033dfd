import type { Response, ResponseOutputItem, ResponseUsage } from 'openai/resources/responses/responses';
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ModelFailure } from '../../model.ts';
import type { AnswerHead, ApiAnswer } from '../api.ts';
import { finishOf, partsOf, PartStream, type WholePart } from '../parts.ts';
import type { Fields } from '../reading.ts';
import { EventWriter } from './events.ts';
import { ItemEvents, itemOf } from './items.ts';

type Message = ChatRequest['messages'][number];
type State = 'completed' | 'incomplete' | 'in_progress';
/** Its text as one is what the client makes of the output. */
type Told = Omit<Response, 'output_text' | 'access_programs'>;

/** An answer as OpenAI's Responses API gives it. */
export class ResponsesAnswer implements ApiAnswer {
  readonly #head: AnswerHead;
  readonly #asked: Fields;
  readonly #id: string;
  readonly #keep: (responseId: string, message: Message) => void;
  readonly #events = new EventWriter();
  readonly #items: ItemEvents;
  readonly #parts: PartStream;
  #model: string | undefined;

  /** @param keep called with an answer that a later request can continue */
  constructor(head: AnswerHead, asked: Fields, keep: (responseId: string, message: Message) => void) {
    this.#head = head;
    this.#asked = asked;
    this.#id = `resp_${head.id}`;
    this.#keep = keep;
    this.#items = new ItemEvents(head.id, this.#events, wantsLogprobs(asked));
    this.#parts = new PartStream(this.#items, head.id);
  }

  whole(completion: ChatCompletion): unknown {
    this.#remember(completion);
    const parts = partsOf(completion, this.#head.id);
    if (parts.length === 0) parts.push(nothingSaid);
    return this.#final(completion, this.#itemsOf(parts, stateOf(completion)));
  }

  chunk(chunk: ChatCompletionChunk): string {
    return this.#begin(chunk.model) + this.#parts.add(chunk);
  }

  end(completion: ChatCompletion): string {
    this.#remember(completion);
    this.#items.ending = stateOf(completion);
    const events = this.#begin(completion.model) + this.#parts.close() + this.#nothingSaid();
    const response = this.#final(completion, this.#items.finished) as Response;
    const type = response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    return events + this.#events.write({ type, response });
  }

  /** Clients take `error` for a throw, and `response.failed` for an answer. */
  failed({ error }: ModelFailure): string {
    const { message, param, code } = error;
    return this.#events.write({ type: 'error', message, param, code });
  }

  #nothingSaid(): string {
    if (this.#items.finished.length > 0) return '';
    return this.#items.opened(nothingSaid.part, 0) + this.#items.closed(nothingSaid, 0);
  }

  #begin(model: string): string {
    if (this.#model !== undefined) return '';
    this.#model = model;
    const response = this.#response('in_progress', model, []) as Response;
    const created = this.#events.write({ type: 'response.created', response });
    return created + this.#events.write({ type: 'response.in_progress', response });
  }

  #final(completion: ChatCompletion, output: ResponseOutputItem[]): Told {
    const finish = finishOf(completion);
    const state = stateOf(completion);
    const usage = usageOf(completion);
    return {
      ...this.#response(state, completion.model, output),
      ...(state === 'incomplete'
        ? { incomplete_details: { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' } }
        : { completed_at: this.#head.createdAt }),
      ...(usage && { usage }),
    };
  }

  #itemsOf(parts: readonly WholePart[], state: 'completed' | 'incomplete'): ResponseOutputItem[] {
    // What was cut is the last.
    return parts.map((whole, index) => {
      const own = index === parts.length - 1 ? state : 'completed';
      return itemOf(whole, {
        answerId: this.#head.id,
        index,
        state: own,
        logprobs: wantsLogprobs(this.#asked),
      });
    });
  }

  /** Repeats the options of the request, with the actual sampling. */
  #response(status: State, model: string, output: ResponseOutputItem[]): Told {
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

  #remember(completion: ChatCompletion): void {
    const message = completion.choices[0]?.message;
    if (message !== undefined) this.#keep(this.#id, message);
  }
}

/** Adds an item to an empty answer, so that the client has an output to send back. */
const nothingSaid: WholePart = { part: { kind: 'text' }, text: '', logprobs: [] };

function stateOf(completion: ChatCompletion): 'completed' | 'incomplete' {
  const finish = finishOf(completion);
  return finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed';
}

function wantsLogprobs(asked: Fields): boolean {
  const { include } = asked;
  return Array.isArray(include) && include.includes('message.output_text.logprobs');
}

/** Undefined where the server does not tell it. */
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
