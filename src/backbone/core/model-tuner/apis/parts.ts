import { failures } from '../failures.ts';
import { ModelFailureError, type ChatCompletion, type ChatCompletionChunk } from '../model.ts';

type Choice = ChatCompletion['choices'][number];
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

/** Returns the finish reason. Tool calls win over the reason of the server. */
export function finishOf(completion: ChatCompletion): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  const choice = completion.choices[0];
  const reason: string | null | undefined = choice?.finish_reason;
  if (reason === 'length' || reason === 'content_filter') return reason;
  const message = choice?.message;
  return (message?.tool_calls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

/** Returns the reasoning, which vLLM and SGLang send next to the content under two names. */
function reasoningOf(delta: Delta): string | undefined {
  const { reasoning_content, reasoning } = delta as { reasoning_content?: unknown; reasoning?: unknown };
  return [reasoning_content, reasoning].find((text) => typeof text === 'string');
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

/** Finds the parts in an answer or in the chunks of a stream. Only the first choice counts: these APIs have only one. */
export class PartStream {
  readonly #events: PartEvents;
  readonly #answerId: string;
  #parts = 0;
  #open: OpenPart | undefined;
  readonly #calls: (string | undefined)[] = [];

  constructor(events: PartEvents, answerId: string) {
    this.#events = events;
    this.#answerId = answerId;
  }

  addWhole({ choices }: ChatCompletion): void {
    // Servers may send anything.
    const { message, logprobs } = choices[0] ?? ({} as Partial<Choice>);
    const tool_calls = message?.tool_calls?.map((call, index) => ({ ...call, index }));
    const delta = { ...message, tool_calls } as Delta;
    if (message !== undefined) this.#add(delta, logprobs?.content ?? []);
  }

  add(chunk: ChatCompletionChunk): string {
    const choices = chunk.choices as ChatCompletionChunk['choices'] | undefined;
    const choice = choices?.find(({ index }) => (index as number | undefined) === undefined || index === 0);
    return choice === undefined ? '' : this.#add(choice.delta, choice.logprobs?.content ?? []);
  }

  close(): string {
    const open = this.#open;
    if (open === undefined) return '';
    this.#open = undefined;
    return this.#events.closed(open, open.index);
  }

  #add(delta: Delta | undefined, logprobs: TokenLogprobs): string {
    if (delta === undefined) return '';
    return [
      this.#grow({ kind: 'reasoning' }, reasoningOf(delta), []),
      this.#grow({ kind: 'text' }, delta.content, logprobs),
      this.#grow({ kind: 'refusal' }, delta.refusal, []),
      ...(delta.tool_calls ?? []).map((fragment) => this.#addFragment(fragment)),
    ].join('');
  }

  #grow(part: Part, piece: string | null | undefined, logprobs: TokenLogprobs, call?: number): string {
    if (!piece) return '';
    const isOpen = this.#open?.part.kind === part.kind && this.#open.call === call;
    const opening = isOpen ? '' : this.#begin(part, call);
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
    const {
      custom,
      function: called,
      id,
    } = fragment as Fragment & {
      custom?: { readonly name?: string; readonly input?: string };
    };
    const number = this.#numberOf(fragment);
    const part: Part = {
      kind: 'call',
      type: custom === undefined ? 'function' : 'custom',
      id: id ?? `call_${this.#answerId}_${number}`,
      name: custom?.name ?? called?.name ?? '',
    };
    let opening = '';
    if (this.#open?.call !== number) {
      if (number in this.#calls) throw new ModelFailureError(failures.mixedCalls());
      this.#calls[number] = id;
      opening = this.#begin(part, number);
    }
    return opening + this.#grow(part, custom?.input ?? called?.arguments, [], number);
  }

  /** Some servers omit the index. Then an id begins another call, and a fragment without one continues the last. */
  #numberOf({ index, id }: { index?: number; id?: string }): number {
    if (typeof index === 'number') return index;
    const last = this.#calls.length - 1;
    return id !== undefined && id !== '' && id !== this.#calls[last] ? last + 1 : Math.max(last, 0);
  }
}
