import type { Expression } from '../expression.ts';
import type { Clause } from './clauses.ts';
import { readCountedPhrase, type CountedPhrase } from './countedPhrases.ts';
import { contentWords } from './nounPhrases.ts';
import { singular, tagWords } from './nouns.ts';
import {
  containerOf,
  groupBefore,
  packedWords,
  perAfter,
  readPer,
  secondPer,
  softPer,
} from './perPhrases.ts';
import type { NumberKind, Token } from './text.ts';

/** "than Ben", "as the red ones": what an amount is compared with. */
export interface Comparison {
  readonly direction: 'more' | 'less' | 'times';
  /** Content words of the other side, lower case and singular; empty when it is not named. */
  readonly words: readonly string[];
}

/** A number of the text with all that is said about it. */
export interface Mention {
  readonly clause: Clause;
  /** Position in the clause. */
  readonly at: number;
  readonly kind: NumberKind;
  readonly value: Expression;
  /** What is counted; undefined where the text leaves it out. */
  readonly noun: string | undefined;
  readonly adjectives: readonly string[];
  readonly content: CountedPhrase['content'];
  /** For each of which the amount is given; `each` when that is left open. */
  readonly per: string | undefined;
  /** The same, but only if it turns out to be counted: "a notebook costs $3". */
  readonly softPer: string | undefined;
  /** A second one: "each horse eats 5 kg per day". */
  readonly alsoPer: string | undefined;
  readonly tags: readonly string[];
  readonly isMore: boolean;
  readonly isPart: boolean;
  /** The size of a thing: "a 240-page book". */
  readonly isSize: boolean;
  readonly comparison: Comparison | undefined;
  /** The words between the number and the next one. */
  readonly after: readonly string[];
  readonly before: readonly string[];
}

export function readMentions(clause: Clause): Mention[] {
  const mentions: Mention[] = [];
  clause.tokens.forEach((token, at) => {
    if (token.number === undefined || isLabel(clause.tokens, at) || isArticle(clause, at)) return;
    mentions.push(readMention(clause, at, token.number, mentions.at(-1)));
  });
  return mentions;
}

/** "One pizza has 8 slices": the number says no more than "a" would. */
function isArticle({ tokens, verbAt, isQuestion }: Clause, at: number): boolean {
  const hasMore = tokens.slice(at + 1).some((token) => token.number !== undefined);
  return tokens[at]?.text === 'one' && at === 0 && at < verbAt && hasMore && !isQuestion;
}

/** Times of day, years and grades are names, not amounts. */
function isLabel(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  const before = tokens[at - 1]?.text ?? '';
  if (text.includes(':') || /^(?:am|pm|o'clock)$/.test(tokens[at + 1]?.text ?? '')) return true;
  if (/^(?:grade|room|number|chapter|level|page|year)$/.test(before)) return true;
  return before === 'in' && /^(?:19|20)\d\d$/.test(text);
}

function readMention(
  clause: Clause,
  at: number,
  found: NonNullable<Token['number']>,
  previous: Mention | undefined,
): Mention {
  const { tokens } = clause;
  const nextNumber = tokens.findIndex((token, index) => index > at && token.number !== undefined);
  const end = nextNumber < 0 ? tokens.length : nextNumber;
  const phrase = readCountedPhrase(clause, at, end);
  const isFrequency = isFrequencyAt(tokens, at, found.kind);
  const kind = isFrequency ? 'count' : found.kind;
  const rest = tokens.slice(phrase.end, end);
  const packed = kind === 'money' ? undefined : packedWords(phrase.words, tokens[at]?.text ?? '');
  return {
    clause,
    at,
    kind,
    value: found.value,
    noun: nounOf(kind, isFrequency, packed?.noun ?? phrase.words.at(-1)),
    adjectives: phrase.words.slice(0, -1),
    content: phrase.content,
    ...readRate(clause, at, phrase.end, end, packed, previous),
    tags: readTags(tokens, at, end),
    isMore: phrase.isMore,
    isPart: phrase.isPart,
    comparison: readComparison(kind, phrase, rest, tokens.slice(Math.max(0, at - 2), at)),
    after: tokens.slice(at + 1, end).map(({ text }) => text),
    before: tokens.slice(0, at).map(({ text }) => text),
  };
}

function nounOf(kind: NumberKind, isFrequency: boolean, word: string | undefined): string | undefined {
  if (kind === 'money') return 'dollar';
  if (isFrequency) return 'time';
  return word === undefined ? undefined : singular(word);
}

/** What the number is for each of. */
function readRate(
  clause: Clause,
  at: number,
  from: number,
  end: number,
  packed: ReturnType<typeof packedWords>,
  previous: Mention | undefined,
): Pick<Mention, 'per' | 'alsoPer' | 'softPer' | 'isSize'> {
  const { tokens } = clause;
  const container = containerOf(tokens, at, previous);
  const group = groupBefore(tokens, at);
  const isSpeed = /^(?:mph|kph)$/.test(tokens[at + 1]?.text ?? '');
  const stated = isSpeed ? 'hour' : packed?.isMany === true ? packed.per : (container ?? group?.per);
  const open = container === undefined ? group?.soft : undefined;
  return {
    per: stated ?? readPer(clause, at, from, end, previous),
    alsoPer:
      container === undefined ? secondPer(clause, at, from, end, previous) : perAfter(clause, from, end),
    softPer: open ?? packed?.per ?? softPer(clause, at, tokens.slice(from, end)),
    isSize: packed !== undefined || open !== undefined,
  };
}

/** Days and the like beside the number: those after it, else the last before it. */
function readTags(tokens: readonly Token[], at: number, end: number): string[] {
  const tagsIn = (part: readonly Token[]): string[] =>
    part.map(({ text }) => text).filter((text) => tagWords.has(text));
  const after = tagsIn(tokens.slice(at + 1, end));
  return after.length > 0 ? after : tagsIn(tokens.slice(0, at)).slice(-1);
}

const downwards = /^(?:less|fewer|younger|shorter|lighter|slower|cheaper|smaller|lower)$/;

function readComparison(
  kind: NumberKind,
  { comparative }: CountedPhrase,
  rest: readonly Token[],
  before: readonly Token[],
): Comparison | undefined {
  const than = rest.findIndex(({ text }) => text === 'than');
  const as = rest.findIndex(({ text }) => /^(?:as|what|number|amount|price|cost)$/.test(text));
  const isScaled = kind === 'fraction' && (as >= 0 || before.some(({ text }) => text === 'as'));
  if (kind === 'times' || isScaled) {
    const from = than >= 0 ? than : as;
    return { direction: 'times', words: from < 0 ? [] : contentWords(rest.slice(from + 1)) };
  }
  const direction = comparative !== undefined && downwards.test(comparative) ? 'less' : 'more';
  if (than >= 0) return { direction, words: contentWords(rest.slice(than + 1)) };
  // "9 more" adds; "4 years older" and "5 fewer" compare even with nobody named.
  return comparative === undefined || comparative === 'more' ? undefined : { direction, words: [] };
}

/** "3 times a week" counts; it compares nothing. */
function isFrequencyAt(tokens: readonly Token[], at: number, kind: NumberKind): boolean {
  const next = tokens[at + 1]?.text;
  return (
    kind === 'times' && (next === undefined || /^(?:a|an|per|each|every|daily|weekly|monthly)$/.test(next))
  );
}
