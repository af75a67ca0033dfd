import { ModelFailureError, type ChatCompletion, type ChatCompletionChunk } from '../model.ts';

type Choice = ChatCompletion['choices'][number];
type Message = Choice['message'];
type Delta = ChatCompletionChunk['choices'][number]['delta'];
type Fragment = NonNullable<Delta['tool_calls']>[number];
export type TokenLogprobs = readonly NonNullable<NonNullable<Choice['logprobs']>['content']>[number][];

/** A part of an answer, for APIs that do not use a single message. */
export type Part =
  | { readonly kind: 'reasoning' | 'text' | 'refusal' }
  | {
      readonly kind: 'call';
      readonly type: 'function' | 'custom';
      readonly id: string;
      readonly name: string;
    };

/** A part with its whole text (for a tool call: its arguments). */
export interface WholePart {
  readonly part: Part;
  readonly text: string;
  readonly logprobs: TokenLogprobs;
}

/** The parts of the first choice, the only one that these APIs have. */
export function partsOf(completion: ChatCompletion, answerId: string): WholePart[] {
  const choice = completion.choices[0];
  if (choice === undefined) return [];
  const { logprobs } = choice;
  // Servers may send anything.
  const message = (choice.message as Message | undefined) ?? nothing;
  const texts = [
    { kind: 'reasoning', text: reasoningOf(message), logprobs: [] },
    { kind: 'text', text: message.content, logprobs: logprobs?.content ?? [] },
    { kind: 'refusal', text: message.refusal, logprobs: [] },
  ] as const;
  return [
    ...texts.flatMap(({ kind, text, logprobs: own }) =>
      text ? [{ part: { kind }, text, logprobs: own }] : [],
    ),
    ...(message.tool_calls ?? []).map((call, index) => ({
      part: callOf(call, index, answerId),
      text: argumentsOf(call),
      logprobs: [],
    })),
  ];
}

const nothing: Message = { role: 'assistant', content: null, refusal: null };

/** Returns the finish reason. Tool calls win over the reason of the server. */
export function finishOf(completion: ChatCompletion): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  const choice = completion.choices[0];
  const reason: string | null | undefined = choice?.finish_reason;
  if (reason === 'length' || reason === 'content_filter') return reason;
  const message = choice?.message;
  return (message?.tool_calls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

/** Returns the reasoning, which vLLM and SGLang send next to the content under two names. */
function reasoningOf(message: Message | Delta): string | undefined {
  const { reasoning_content, reasoning } = message as { reasoning_content?: unknown; reasoning?: unknown };
  return [reasoning_content, reasoning].find((text) => typeof text === 'string');
}

interface CallFields {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly custom?: { readonly name?: string; readonly input?: string };
}

function callOf(call: CallFields, index: number, answerId: string): Part {
  const type = call.custom === undefined ? 'function' : 'custom';
  const name = call.custom?.name ?? call.function?.name ?? '';
  return { kind: 'call', type, id: call.id ?? `call_${answerId}_${index}`, name };
}

function argumentsOf(call: CallFields): string {
  return call.custom?.input ?? call.function?.arguments ?? '';
}

/** Writes the events of parts. A part is opened, extended and closed before the next one is opened. */
export interface PartEvents {
  opened(part: Part, index: number): string;
  grown(part: Part, index: number, piece: string, logprobs: TokenLogprobs): string;
  closed(whole: WholePart, index: number): string;
}

interface OpenPart {
  readonly part: Part;
  readonly index: number;
  readonly call: number | undefined;
  text: string;
  readonly logprobs: TokenLogprobs[number][];
}

/** Finds the parts in the chunks of a stream. */
export class PartStream {
  readonly #events: PartEvents;
  readonly #answerId: string;
  #parts = 0;
  #open: OpenPart | undefined;
  /** Ids of the calls that have begun. */
  readonly #calls: (string | undefined)[] = [];

  constructor(events: PartEvents, answerId: string) {
    this.#events = events;
    this.#answerId = answerId;
  }

  add(chunk: ChatCompletionChunk): string {
    const choices = chunk.choices as ChatCompletionChunk['choices'] | undefined;
    const choice = choices?.find(({ index }) => (index as number | undefined) === undefined || index === 0);
    const delta = choice?.delta;
    if (delta === undefined) return '';
    const logprobs = choice?.logprobs?.content ?? [];
    return [
      this.#grow({ kind: 'reasoning' }, reasoningOf(delta), []),
      this.#grow({ kind: 'text' }, delta.content, logprobs),
      this.#grow({ kind: 'refusal' }, delta.refusal, []),
      ...(delta.tool_calls ?? []).map((fragment) => this.#addFragment(fragment)),
    ].join('');
  }

  /** Called after the last chunk. */
  close(): string {
    const open = this.#open;
    if (open === undefined) return '';
    this.#open = undefined;
    return this.#events.closed(open, open.index);
  }

  #grow(part: Part, piece: string | null | undefined, logprobs: TokenLogprobs, call?: number): string {
    if (!piece) return '';
    const opening =
      this.#open?.part.kind === part.kind && this.#open.call === call ? '' : this.#begin(part, call);
    const open = this.#open;
    if (open === undefined) return '';
    open.text += piece;
    open.logprobs.push(...logprobs);
    return opening + this.#events.grown(open.part, open.index, piece, logprobs);
  }

  #begin(part: Part, call: number | undefined): string {
    const closing = this.close();
    this.#open = { part, index: this.#parts++, call, text: '', logprobs: [] };
    return closing + this.#events.opened(part, this.#open.index);
  }

  #addFragment(fragment: Fragment): string {
    const number = this.#numberOf(fragment);
    let opening = '';
    if (this.#open?.call !== number) {
      if (number in this.#calls) throw mixedCalls();
      this.#calls[number] = fragment.id;
      opening = this.#begin(callOf(fragment, number, this.#answerId), number);
    }
    const part = this.#open?.part;
    return part === undefined ? opening : opening + this.#grow(part, argumentsOf(fragment), [], number);
  }

  /** Some servers omit the index. Then an id begins another call, and a fragment without one continues the last. */
  #numberOf({ index, id }: { index?: number; id?: string }): number {
    if (typeof index === 'number') return index;
    const last = this.#calls.length - 1;
    return id !== undefined && id !== '' && id !== this.#calls[last] ? last + 1 : Math.max(last, 0);
  }
}

function mixedCalls(): ModelFailureError {
  return new ModelFailureError({
    status: 502,
    error: {
      message:
        'The model streamed two tool calls in alternation, which this API cannot express. Send the request without stream.',
      type: 'server_error',
      param: null,
      code: 'mixed_tool_calls',
    },
  });
}
