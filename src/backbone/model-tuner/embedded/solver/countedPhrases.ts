import type { Clause } from './clauses.ts';
import { singular, tagWords } from './nouns.ts';
import { determiners, isNounLikeVerb, mayBeNoun, verbOf } from './verbs.ts';

/** The noun phrase after a number. */
export interface CountedPhrase {
  readonly words: readonly string[];
  /** What the counted thing holds: `orange` in "6 bags of oranges". */
  readonly content: string | undefined;
  /** "9 more", "another 5". */
  readonly isMore: boolean;
  /** "6 of them". */
  readonly isPart: boolean;
  /** "5 more", "2 fewer", "4 years older": the word that compares. */
  readonly comparative: string | undefined;
  /** Position after the phrase. */
  readonly end: number;
}

const comparatives =
  /^(?:more|less|fewer|older|younger|taller|shorter|longer|heavier|lighter|farther|further|faster|slower|cheaper|larger|bigger|smaller|higher|lower|greater|deeper|wider)$/;
const additions = /^(?:more|additional|extra|other|others|another|new|ones)$/;
const leadingWords = /^(?:more|less|fewer|additional|extra|other|new|others|ones|-|as|many|much|times|that)$/;
const trailingWords = /^(?:more|less|fewer|additional|extra)$/;
const partitiveWords =
  /^(?:the|his|her|their|its|my|our|your|these|those|this|that|all|them|it|total|remaining|original)$/;
const longestPhrase = 4;

export function readCountedPhrase(clause: Clause, at: number, end: number): CountedPhrase {
  return new CountedPhraseReader(clause, at, end).read();
}

class CountedPhraseReader {
  readonly #clause: Clause;
  readonly #at: number;
  readonly #end: number;
  #next: number;
  #isMore: boolean;
  #comparative: string | undefined;

  constructor(clause: Clause, at: number, end: number) {
    this.#clause = clause;
    this.#at = at;
    this.#end = end;
    this.#next = at + 1;
    this.#isMore = /^(?:another|additional|extra)$/.test(clause.tokens[at - 1]?.text ?? '');
  }

  read(): CountedPhrase {
    this.#skip(leadingWords);
    const isPart = this.#skipPartitive();
    const words = this.#nouns();
    if (words.length > 0) this.#skip(trailingWords);
    if (comparatives.test(this.#word())) {
      this.#comparative = this.#word();
      this.#next++;
    }
    const content = this.#content();
    const comparative = this.#comparative;
    return { words, content, isMore: this.#isMore, isPart, comparative, end: this.#next };
  }

  #word(): string {
    return this.#next < this.#end ? (this.#clause.tokens[this.#next]?.text ?? '') : '';
  }

  #skip(passed: RegExp): void {
    for (let word = this.#word(); passed.test(word); word = this.#word()) {
      // The second "as" of "as many as" begins the other side of a comparison.
      if (word === 'as' && /^(?:many|much)$/.test(this.#clause.tokens[this.#next - 1]?.text ?? '')) return;
      if (additions.test(word)) this.#isMore = true;
      if (comparatives.test(word)) this.#comparative = word;
      this.#next++;
    }
  }

  /** "of them", "of the remaining"; after a fraction also without "of": "half the apples". */
  #skipPartitive(): boolean {
    const isFraction = this.#clause.tokens[this.#at]?.number?.kind === 'fraction';
    const isPart = this.#word() === 'of' || (isFraction && determiners.has(this.#word()));
    if (!isPart) return false;
    if (this.#word() === 'of') this.#next++;
    while (partitiveWords.test(this.#word())) this.#next++;
    return true;
  }

  #nouns(): string[] {
    const words: string[] = [];
    while (this.#next < this.#end && this.#isNoun(words.length)) {
      words.push(this.#word());
      this.#next++;
    }
    return words;
  }

  #content(): string | undefined {
    if (this.#word() !== 'of') return undefined;
    const start = this.#next;
    this.#next++;
    while (determiners.has(this.#word())) this.#next++;
    const noun = this.#nouns().at(-1);
    if (noun === undefined) this.#next = start;
    return noun === undefined ? undefined : singular(noun);
  }

  #isNoun(length: number): boolean {
    const { tokens, verbAt } = this.#clause;
    const word = this.#word();
    if (length >= longestPhrase || !mayBeNoun(word) || this.#next === verbAt) return false;
    const verb = verbOf(word);
    if (length === 0) return verb === undefined || isNounForm(word, verb) || word.endsWith('ed');
    const last = tokens[this.#next - 1]?.text ?? '';
    if (tagWords.has(word) || /(?:ing|ly)$/.test(word)) return false;
    // A plural is complete: what looks like a verb after it is one.
    return verb === undefined || (singular(last) === last && !isAuxiliary(verb) && isNounForm(word, verb));
  }
}

/** Past forms end a noun phrase; what looks like a noun in the singular or plural does not. */
function isNounForm(word: string, verb: string): boolean {
  if (word === verb) return isNounLikeVerb(word);
  return word.endsWith('s') || word.endsWith('ing');
}

function isAuxiliary(verb: string): boolean {
  return verb === 'be' || verb === 'have';
}
