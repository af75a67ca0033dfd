import { textOfBytes } from './textOfBytes.ts';
import type { ModelText, TemplateMessage, Tokenizer } from './tokenizer.ts';

export type Tools = readonly unknown[] | undefined;

/** Tokens of a text that the template made, or why it made none. */
export type Templated<T> = { readonly value: T } | { readonly failure: string };

export interface Prompt {
  /** Tokens of the whole prompt, the header of the reply included. */
  readonly tokens: number;
  /** Without that header. */
  readonly conversationTokens: number;
}

/** Precedes a message whose own tokens are needed, because most templates treat the first message differently. */
const standIn: TemplateMessage = { role: 'assistant', content: 'dummy text' };

/** Computes the tokens of conversations from the chat template. Each piece of text is encoded once. */
export class TemplateTokens {
  /** The tokens that the template adds before a reply, such as `<|im_start|>assistant\n`. */
  readonly header: readonly number[];
  readonly #template: ModelText['template'];
  readonly #encoder: SegmentEncoder;
  readonly #headerText: string;
  /** By the key of the tools: how many tokens the stand-in has. */
  readonly #standIns = new Map<string, Templated<number>>();

  constructor({ template, tokenizer }: ModelText) {
    this.#template = template;
    this.#headerText = this.#renderHeader();
    this.header = tokenizer.encode(this.#headerText);
    const marker = [this.header[0], tokenizer.eos].find((id) => id !== undefined && tokenizer.isSpecial(id));
    const text = marker === undefined ? undefined : textOfBytes(tokenizer.bytesOf(marker));
    this.#encoder = new SegmentEncoder(tokenizer, text ?? '');
  }

  plain(text: string): number[] {
    return this.#encoder.encode(text);
  }

  prompt(messages: readonly TemplateMessage[], tools: Tools): Templated<Prompt> {
    const whole = this.#render(messages, tools, true);
    if ('failure' in whole) return whole;
    const header = this.#headerText;
    const conversation = whole.value.endsWith(header)
      ? { value: whole.value.slice(0, whole.value.length - header.length) }
      : this.#render(messages, tools, false);
    if ('failure' in conversation) return conversation;
    return {
      value: {
        tokens: this.#encoder.count(whole.value),
        conversationTokens: this.#encoder.count(conversation.value),
      },
    };
  }

  /** The first message alone, with the tools. */
  first(message: readonly TemplateMessage[], tools: Tools): Templated<number[]> {
    const text = this.#render(message, tools, false);
    return 'failure' in text ? text : { value: this.#encoder.encode(text.value) };
  }

  /** Returns what a message adds to a conversation of a stand-in. `toolsKey` is equal for equal tools. */
  later(message: readonly TemplateMessage[], tools: Tools, toolsKey: string): Templated<number[]> {
    const skip = this.#standIn(tools, toolsKey);
    if ('failure' in skip) return skip;
    const text = this.#render([standIn, ...message], tools, false);
    return 'failure' in text ? text : { value: this.#encoder.encode(text.value).slice(skip.value) };
  }

  /** Returns the tokens that a reply adds: header, body, end token, and the text of the template after it. */
  reply(
    request: readonly TemplateMessage[],
    prompt: Prompt,
    reply: TemplateMessage,
    tools: Tools,
  ): Templated<number[]> {
    const text = this.#render([...request, reply], tools, false);
    if ('failure' in text) return text;
    return { value: this.#encoder.encode(text.value).slice(prompt.conversationTokens) };
  }

  #standIn(tools: Tools, toolsKey: string): Templated<number> {
    const known = this.#standIns.get(toolsKey);
    if (known !== undefined) return known;
    const text = this.#render([standIn], tools, false);
    const count = 'failure' in text ? text : { value: this.#encoder.count(text.value) };
    this.#standIns.set(toolsKey, count);
    return count;
  }

  /** Empty for a template that has none, or that fails on the stand-in: then it fails on messages as well. */
  #renderHeader(): string {
    const without = this.#render([standIn], undefined, false);
    const whole = this.#render([standIn], undefined, true);
    if ('failure' in without || 'failure' in whole || !whole.value.startsWith(without.value)) return '';
    return whole.value.slice(without.value.length);
  }

  #render(
    messages: readonly TemplateMessage[],
    tools: Tools,
    addGenerationPrompt: boolean,
  ): Templated<string> {
    try {
      return { value: this.#template.render(messages, { ...(tools && { tools }), addGenerationPrompt }) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }
}

/**
 * Encodes texts that have much in common, each part of them once. A special token always splits a text for its
 * tokenizer, so what begins with one has the same tokens everywhere. Texts are cut before each `marker`, such as the
 * `<|im_start|>` that begins every message of ChatML, and the tokens of each segment are kept.
 */
export class SegmentEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #marker: string;
  readonly #known = new Map<string, readonly number[]>();

  /** @param marker the text of a special token; empty: texts are encoded whole */
  constructor(tokenizer: Tokenizer, marker: string) {
    this.#tokenizer = tokenizer;
    this.#marker = marker;
  }

  encode(text: string): number[] {
    return this.#segments(text).flat();
  }

  count(text: string): number {
    return this.#segments(text).reduce((sum, tokens) => sum + tokens.length, 0);
  }

  /** Returns the tokens of each segment of a text. */
  #segments(text: string): readonly (readonly number[])[] {
    const segments: (readonly number[])[] = [];
    for (let start = 0; start < text.length;) {
      const next = this.#marker === '' ? -1 : text.indexOf(this.#marker, start + 1);
      const end = next === -1 ? text.length : next;
      segments.push(this.#tokensOf(text.slice(start, end)));
      start = end;
    }
    return segments;
  }

  #tokensOf(segment: string): readonly number[] {
    const tokens = this.#known.get(segment) ?? this.#tokenizer.encode(segment);
    this.#known.set(segment, tokens);
    return tokens;
  }
}
