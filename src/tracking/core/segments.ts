import type { Tokenizer } from './tokenizer.ts';

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
