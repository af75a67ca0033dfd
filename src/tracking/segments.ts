import { commonStart } from '../base/commonStart.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * Encodes texts that have much in common, each part of them once. A special token always parts a text for its
 * tokenizer, so what begins with one has the same tokens wherever it stands: texts are cut before each `marker`, such
 * as the `<|im_start|>` that begins every message of ChatML, and the tokens of each cut are kept. Texts come in pieces,
 * cut anywhere; pieces that begin with the marker and are the very same strings as before cost next to nothing.
 */
export class SegmentEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #marker: string;
  readonly #known = new Map<string, readonly number[]>();
  /** The text before, and by piece how many tokens stand before it; undefined: no cut is made there. */
  #pieces: readonly string[] = [];
  readonly #seen: (number | undefined)[] = [];

  /** @param marker text of a special token; empty: texts are encoded whole */
  constructor(tokenizer: Tokenizer, marker: string) {
    this.#tokenizer = tokenizer;
    this.#marker = marker;
  }

  encode(pieces: readonly string[]): number[] {
    return this.beyond(pieces, 0);
  }

  count(pieces: readonly string[]): number {
    return this.#beyond(pieces, Infinity, []);
  }

  /** The tokens of a text but for the first `skip`. */
  beyond(pieces: readonly string[], skip: number): number[] {
    const ids: number[] = [];
    this.#beyond(pieces, skip, ids);
    return ids;
  }

  /** Goes on where the text before was the same. @returns how many tokens there are */
  #beyond(pieces: readonly string[], skip: number, ids: number[]): number {
    const first = this.#startOfNew(pieces, skip);
    let seen = this.#seen[first] ?? 0;
    this.#pieces = pieces;
    this.#seen.length = first;
    const add = (tokens: readonly number[]): void => {
      for (let index = Math.max(0, skip - seen); index < tokens.length; index++) ids.push(tokens[index] ?? 0);
      seen += tokens.length;
    };
    let part = '';
    for (let at = first; at < pieces.length; at++) {
      const piece = pieces[at] ?? '';
      if (at > first && this.#begins(piece)) {
        this.#cut(part, add);
        part = '';
      }
      this.#seen.push(part === '' ? seen : undefined);
      part += piece;
    }
    this.#cut(part, add);
    return seen;
  }

  /** The last piece up to which all is the same as before, at most `skip` tokens stand before it, and a cut is made. */
  #startOfNew(pieces: readonly string[], skip: number): number {
    const same = commonStart(pieces, this.#pieces);
    for (let at = same; at > 0; at--) {
      const seen = this.#seen[at];
      if (seen !== undefined && seen <= skip && this.#begins(pieces[at] ?? '')) return at;
    }
    return 0;
  }

  /** What does not begin with the marker may have tokens in common with what is before it. */
  #begins(piece: string): boolean {
    return this.#marker !== '' && piece.startsWith(this.#marker);
  }

  #cut(part: string, use: (tokens: readonly number[]) => void): void {
    const known = this.#known.get(part);
    if (known !== undefined) {
      use(known);
      return;
    }
    for (let start = 0; start < part.length;) {
      const next = this.#marker === '' ? -1 : part.indexOf(this.#marker, start + 1);
      const end = next === -1 ? part.length : next;
      use(this.#tokensOf(part.slice(start, end)));
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
