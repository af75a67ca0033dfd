import { omit } from '../../../base/core/omit.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { ChatCompletion, ChatCompletionChunk } from './model.ts';

type Fields = Record<string, unknown>;
type Choice = ChatCompletion['choices'][number];
type ToolCall = NonNullable<Choice['message']['tool_calls']>[number];

interface Draft {
  readonly index: number;
  finishReason: unknown;
  readonly message: Fields;
  readonly logprobs: Fields;
  hasLogprobs: boolean;
  readonly toolCalls: Map<number, Fields>;
  readonly extras: Fields;
}

/** Fields that are sent whole. Servers that repeat them send them unchanged or empty. */
const wholeFields: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'index']);

/** Assembles the chunks of a stream. It accepts any fields of a server, since they are only recorded. */
export class Assembler {
  #head: Fields | undefined;
  readonly #choices = new Map<number, Draft>();

  add(chunk: ChatCompletionChunk): void {
    const { choices } = chunk as { choices?: unknown };
    this.#head ??= {};
    for (const [name, value] of Object.entries(chunk)) {
      if (name !== 'choices' && value !== undefined && value !== null) this.#head[name] = value;
    }
    if (!Array.isArray(choices)) return;
    for (const choice of choices) if (isRecord(choice)) this.#addChoice(choice);
  }

  get isComplete(): boolean {
    const drafts = [...this.#choices.values()];
    return drafts.length > 0 && drafts.every((draft) => typeof draft.finishReason === 'string');
  }

  /** The completion so far; undefined before the first chunk. */
  completion(): ChatCompletion | undefined {
    if (this.#head === undefined) return undefined;
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index).map(finishChoice);
    return { ...this.#head, object: 'chat.completion', choices } as unknown as ChatCompletion;
  }

  #addChoice(choice: Fields): void {
    const { index, delta, logprobs, finish_reason, ...extras } = choice;
    const draft = this.#draft(typeof index === 'number' ? index : 0);
    if (finish_reason !== undefined && finish_reason !== null) draft.finishReason = finish_reason;
    mergeFields(draft.extras, extras);
    if (isRecord(logprobs)) {
      draft.hasLogprobs = true;
      mergeFields(draft.logprobs, logprobs);
    }
    if (!isRecord(delta)) return;
    const { tool_calls, ...fields } = delta;
    mergeFields(draft.message, fields);
    if (!Array.isArray(tool_calls)) return;
    for (const call of tool_calls) if (isRecord(call)) addToolCall(draft.toolCalls, call);
  }

  #draft(index: number): Draft {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const draft: Draft = {
      index,
      finishReason: null,
      message: {},
      logprobs: {},
      hasLogprobs: false,
      toolCalls: new Map(),
      extras: {},
    };
    this.#choices.set(index, draft);
    return draft;
  }
}

function addToolCall(calls: Map<number, Fields>, call: Fields): void {
  const index = toolCallIndex(calls, call);
  const known = calls.get(index) ?? {};
  calls.set(index, known);
  mergeFields(known, call);
}

/** Some servers omit the index. Then an id begins another call, and a fragment without one continues the last. */
function toolCallIndex(calls: ReadonlyMap<number, Fields>, call: Fields): number {
  if (typeof call['index'] === 'number') return call['index'];
  const last = calls.size - 1;
  const isNew = typeof call['id'] === 'string' && call['id'] !== '' && call['id'] !== calls.get(last)?.['id'];
  return isNew ? calls.size : Math.max(last, 0);
}

function finishChoice(draft: Draft): Choice {
  const toolCalls = [...draft.toolCalls.entries()]
    .sort(([a], [b]) => a - b)
    // Only streams use the index, to distinguish calls.
    .map(([, call]) => omit(call, 'index') as unknown as ToolCall);
  return {
    index: draft.index,
    message: {
      role: 'assistant',
      content: null,
      refusal: null,
      ...draft.message,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    logprobs: draft.hasLogprobs ? { content: null, refusal: null, ...draft.logprobs } : null,
    finish_reason: draft.finishReason as Choice['finish_reason'],
    ...draft.extras,
  };
}

/** Appends texts and lists, merges objects field by field, and replaces other values. Null has no effect. */
function mergeFields(into: Fields, from: Fields): void {
  for (const [name, value] of Object.entries(from)) {
    const known = into[name];
    if (value === undefined || (value === null && known !== undefined)) continue;
    if (known === undefined || known === null || known === '') into[name] = copy(value);
    else if (wholeFields.has(name)) continue;
    else if (typeof known === 'string' && typeof value === 'string') into[name] = known + value;
    else if (Array.isArray(known) && Array.isArray(value)) for (const item of value) known.push(item);
    else if (isRecord(known) && isRecord(value)) mergeFields(known, value);
    else into[name] = value;
  }
}

/** Copies deeply enough that changes to the copy do not change the chunk. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}
