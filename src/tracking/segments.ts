import type { Tokenizer } from './tokenizer.ts';

/**
 * Encodes texts that have much in common, each part of them once. A special token always parts a text for its
 * tokenizer, so what begins with one has the same tokens wherever it stands: texts are cut before each `marker`, such
 * as the `<|im_start|>` that begins every message of ChatML, and the tokens of each cut are kept.
 */
export class SegmentEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #marker: string;
  readonly #known = new Map<string, readonly number[]>();

  /** @param marker text of a special token; empty: texts are encoded whole */
  constructor(tokenizer: Tokenizer, marker: string) {
    this.#tokenizer = tokenizer;
    this.#marker = marker;
  }

  encode(text: string): number[] {
    return this.beyond(text, 0);
  }

  count(text: string): number {
    let count = 0;
    for (const segment of this.#segments(text)) count += this.#tokensOf(segment).length;
    return count;
  }

  /** The tokens of a text but for the first `skip`. */
  beyond(text: string, skip: number): number[] {
    const ids: number[] = [];
    let seen = 0;
    for (const segment of this.#segments(text)) {
      const tokens = this.#tokensOf(segment);
      for (let index = Math.max(0, skip - seen); index < tokens.length; index++) ids.push(tokens[index] ?? 0);
      seen += tokens.length;
    }
    return ids;
  }

  *#segments(text: string): Generator<string> {
    let start = 0;
    while (start < text.length) {
      const next = this.#marker === '' ? -1 : text.indexOf(this.#marker, start + 1);
      const end = next === -1 ? text.length : next;
      yield text.slice(start, end);
      start = end;
    }
  }

  #tokensOf(segment: string): readonly number[] {
    let tokens = this.#known.get(segment);
    if (tokens === undefined) {
      tokens = this.#tokenizer.encode(segment);
      this.#known.set(segment, tokens);
    }
    return tokens;
  }
}
