import { utf8 } from '../../base/utf8.ts';
import type { ModelText, Tokenizer } from '../tokenizer.ts';
import { RankTable, encodePiece } from './bytePairs.ts';
import { byteKey } from './bytes.ts';
import { chatMlTemplate } from './chatml.ts';
import { createChatTemplate } from './chatTemplate.ts';
import { embeddedNote } from './embeddedNote.ts';

const eosToken = '<|im_end|>';
/** Their ids follow the ranks. */
const specialTokens = ['<|endoftext|>', '<|im_start|>', eosToken];

/**
 * Qwen's: contractions, words with one sign before them, single digits, signs, lines' ends, white space. The ranks are
 * those that Qwen's vocabulary grew from, so that lengths come close to its.
 */
export const qwenPieces =
  /'(?:[sdmtSDMTſ]|[lL]{2}|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu;

/** Stands in where there is no tokenizer of the model. `ranks`: as {@link RankTable} takes them. */
export function createEmbeddedText(ranks: Uint8Array, now: () => Date): ModelText {
  return {
    note: embeddedNote,
    tokenizer: new BytePairTokenizer(new RankTable(ranks), qwenPieces),
    template: createChatTemplate(chatMlTemplate, {
      name: 'the embedded tokenizer',
      file: null,
      specialTokens: { eos_token: eosToken },
      now,
    }),
  };
}

/** @param pieces global and gapless: what it cuts a text into, nothing merges across */
export class BytePairTokenizer implements Tokenizer {
  readonly eos: number;
  readonly #table: RankTable;
  readonly #pieces: RegExp;
  readonly #specials: ReadonlyMap<string, number>;
  readonly #specialBytes: ReadonlyMap<number, Uint8Array>;
  /** Its group keeps the tokens in what `split` returns. */
  readonly #splitter: RegExp;

  constructor(table: RankTable, pieces: RegExp) {
    this.#table = table;
    this.#pieces = pieces;
    this.#specials = new Map(specialTokens.map((token, place) => [token, table.size + place]));
    this.#specialBytes = new Map([...this.#specials].map(([token, id]) => [id, utf8(token)]));
    this.#splitter = new RegExp(`(${specialTokens.map((token) => token.replaceAll('|', '\\|')).join('|')})`);
    this.eos = this.#specials.get(eosToken) ?? table.size;
  }

  encode(text: string): number[] {
    const ids: number[] = [];
    for (const part of text.split(this.#splitter)) {
      const special = this.#specials.get(part);
      if (special !== undefined) ids.push(special);
      else for (const [piece] of part.matchAll(this.#pieces)) encodePiece(utf8(piece), this.#table, ids);
    }
    return ids;
  }

  bytesOf(id: number): Uint8Array {
    return this.#specialBytes.get(id) ?? this.#table.bytesOf(id) ?? new Uint8Array();
  }

  idOf(bytes: Uint8Array): number | undefined {
    return this.#table.rankOf(bytes, 0, bytes.length) ?? this.#specials.get(byteKey(bytes));
  }

  isSpecial(id: number): boolean {
    return this.#specialBytes.has(id);
  }
}
