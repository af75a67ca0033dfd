import type { ResponseOutputItem, ResponseOutputText } from 'openai/resources/responses/responses';
import type { Part, PartEvents, TokenLogprobs, WholePart } from '../parts.ts';
import type { EventWriter } from './events.ts';

export interface ItemOptions {
  readonly answerId: string;
  readonly index: number;
  readonly state: 'completed' | 'incomplete' | 'in_progress';
  /** True if the client asked for log probabilities. */
  readonly logprobs: boolean;
}

type Logprob = NonNullable<ResponseOutputText['logprobs']>[number];

/** An item of a response's output; while it is in progress, without its content. */
export function itemOf({ part, text, logprobs }: WholePart, options: ItemOptions): ResponseOutputItem {
  const { state: status } = options;
  const isBegun = status === 'in_progress';
  const id = idOf(part, options);
  switch (part.kind) {
    case 'reasoning': {
      const content = isBegun ? [] : [{ type: 'reasoning_text' as const, text }];
      return { id, type: 'reasoning', summary: [], content, status };
    }
    case 'text': {
      const content = isBegun ? [] : [outputText(text, options.logprobs ? logprobs : [])];
      return { id, type: 'message', status, role: 'assistant', content };
    }
    case 'refusal': {
      const content = isBegun ? [] : [{ type: 'refusal' as const, refusal: text }];
      return { id, type: 'message', status, role: 'assistant', content };
    }
    case 'call':
      return part.type === 'function'
        ? { id, type: 'function_call', status, arguments: text, call_id: part.id, name: part.name }
        : { id, type: 'custom_tool_call', call_id: part.id, input: text, name: part.name };
  }
}

const prefixes = { reasoning: 'rs', text: 'msg', refusal: 'msg', function: 'fc', custom: 'ctc' } as const;

function idOf(part: Part, { answerId, index }: Pick<ItemOptions, 'answerId' | 'index'>): string {
  return `${prefixes[part.kind === 'call' ? part.type : part.kind]}_${answerId}_${index}`;
}

function outputText(text: string, logprobs: TokenLogprobs): ResponseOutputText {
  return { type: 'output_text', text, annotations: [], logprobs: logprobsOf(logprobs) };
}

function logprobsOf(logprobs: TokenLogprobs): Logprob[] {
  return logprobs.map(({ token, bytes, logprob, top_logprobs }) => ({
    token,
    bytes: bytes ?? [],
    logprob,
    top_logprobs: top_logprobs.map((top) => ({ ...top, bytes: top.bytes ?? [] })),
  }));
}

/** The events of a stream's items, in the order in which OpenAI sends them. */
export class ItemEvents implements PartEvents {
  /** Completed items, which are repeated at the end. */
  readonly finished: ResponseOutputItem[] = [];
  /** Closes the open items. */
  ending: 'completed' | 'incomplete' = 'completed';
  readonly #answerId: string;
  readonly #events: EventWriter;
  readonly #logprobs: boolean;

  constructor(answerId: string, events: EventWriter, logprobs: boolean) {
    this.#answerId = answerId;
    this.#events = events;
    this.#logprobs = logprobs;
  }

  opened(part: Part, index: number): string {
    const item = itemOf({ part, text: '', logprobs: [] }, this.#options(index, 'in_progress'));
    const added = this.#events.write({ type: 'response.output_item.added', item, output_index: index });
    const begun = contentPart(part, '', []);
    if (begun === undefined) return added;
    return (
      added +
      this.#events.write({ type: 'response.content_part.added', part: begun, ...this.#place(part, index) })
    );
  }

  grown(part: Part, index: number, delta: string, logprobs: TokenLogprobs): string {
    const place = this.#place(part, index);
    switch (part.kind) {
      case 'reasoning':
        return this.#events.write({ type: 'response.reasoning_text.delta', delta, ...place });
      case 'text': {
        const details = this.#logprobs ? logprobsOf(logprobs) : [];
        return this.#events.write({ type: 'response.output_text.delta', delta, logprobs: details, ...place });
      }
      case 'refusal':
        return this.#events.write({ type: 'response.refusal.delta', delta, ...place });
      case 'call': {
        const { item_id, output_index } = place;
        const type =
          part.type === 'function'
            ? 'response.function_call_arguments.delta'
            : 'response.custom_tool_call_input.delta';
        return this.#events.write({ type, delta, item_id, output_index });
      }
    }
  }

  closed(whole: WholePart, index: number): string {
    const { part, text } = whole;
    const logprobs = this.#logprobs ? whole.logprobs : [];
    const item = itemOf(whole, this.#options(index, this.ending));
    this.finished.push(item);
    const done = this.#done(part, text, logprobs, index);
    const ended = contentPart(part, text, logprobs);
    const place = this.#place(part, index);
    return [
      done,
      ended === undefined
        ? ''
        : this.#events.write({ type: 'response.content_part.done', part: ended, ...place }),
      this.#events.write({ type: 'response.output_item.done', item, output_index: index }),
    ].join('');
  }

  #done(part: Part, text: string, logprobs: TokenLogprobs, index: number): string {
    const place = this.#place(part, index);
    switch (part.kind) {
      case 'reasoning':
        return this.#events.write({ type: 'response.reasoning_text.done', text, ...place });
      case 'text':
        return this.#events.write({
          type: 'response.output_text.done',
          text,
          logprobs: logprobsOf(logprobs),
          ...place,
        });
      case 'refusal':
        return this.#events.write({ type: 'response.refusal.done', refusal: text, ...place });
      case 'call': {
        const { item_id, output_index } = place;
        return part.type === 'function'
          ? this.#events.write({
              type: 'response.function_call_arguments.done',
              arguments: text,
              item_id,
              output_index,
            })
          : this.#events.write({
              type: 'response.custom_tool_call_input.done',
              input: text,
              item_id,
              output_index,
            });
      }
    }
  }

  #place(part: Part, index: number): { item_id: string; output_index: number; content_index: number } {
    return { item_id: idOf(part, this.#options(index, 'completed')), output_index: index, content_index: 0 };
  }

  #options(index: number, state: ItemOptions['state']): ItemOptions {
    return { answerId: this.#answerId, index, state, logprobs: this.#logprobs };
  }
}

function contentPart(part: Part, text: string, logprobs: TokenLogprobs) {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'reasoning_text' as const, text };
    case 'text':
      return outputText(text, logprobs);
    case 'refusal':
      return { type: 'refusal' as const, refusal: text };
    case 'call':
      return undefined;
  }
}
