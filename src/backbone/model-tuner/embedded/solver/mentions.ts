import type { Expression } from '../expression.ts';
import type { Clause } from './clauses.ts';
import { isNounLikeVerb } from './verbs.ts';
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
import { determiners, mayBeNoun, verbOf } from './verbs.ts';

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
  /** What the counted thing holds: `orange` in "6 bags of oranges". */
  readonly content: string | undefined;
  /** For each of which the amount is given; `each` when that is left open. */
  readonly per: string | undefined;
  /** The same, but only if it turns out to be counted: "a notebook costs $3". */
  readonly softPer: string | undefined;
  /** A second one: "each horse eats 5 kg per day". */
  readonly alsoPer: string | undefined;
  readonly tags: readonly string[];
  /** "9 more", "another 5". */
  readonly isMore: boolean;
  /** "6 of them". */
  readonly isPart: boolean;
  /** The size of a thing: "a 240-page book". */
  readonly isSize: boolean;
  readonly comparison: Comparison | undefined;
  /** The words between the number and the end of what belongs to it. */
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
  const next = tokens[at + 1]?.text ?? '';
  if (text.includes(':') || ['am', 'pm', "o'clock"].includes(next)) return true;
  return (
    /^(?:grade|room|number|chapter|level|page|year)$/.test(before) ||
    (before === 'in' && /^(?:19|20)\d\d$/.test(text))
  );
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
  const phrase = readCounted(clause, at, end);
  const rest = tokens.slice(phrase.end, end);
  const group = containerOf(tokens, at, previous) ?? groupBefore(tokens, at);
  const isMoney = found.kind === 'money';
  const isSpeed = /^(?:mph|kph)$/.test(tokens[at + 1]?.text ?? '');
  const packed = isMoney ? undefined : packedWords(phrase.words, tokens[at]?.text ?? '');
  const noun = isMoney
    ? 'dollar'
    : isFrequencyAt(tokens, at, found.kind)
      ? 'time'
      : (packed?.noun ?? phrase.words.at(-1));
  return {
    clause,
    at,
    kind: isFrequencyAt(tokens, at, found.kind) ? 'count' : found.kind,
    value: found.value,
    noun: noun === undefined ? undefined : singular(noun),
    adjectives: phrase.words.slice(0, -1),
    content: phrase.content,
    per:
      (isSpeed ? 'hour' : undefined) ??
      (packed?.isMany === true ? packed.per : undefined) ??
      group?.per ??
      readPer(clause, at, phrase.end, end, previous),
    alsoPer:
      containerOf(tokens, at, previous) !== undefined
        ? perAfter(clause, phrase.end, end)
        : secondPer(clause, at, phrase.end, end, previous),
    softPer: group?.soft ?? packed?.per ?? softPer(clause, at, rest),
    tags: readTags(tokens, at, end),
    isMore: phrase.isMore,
    isPart: phrase.isPart,
    isSize: packed !== undefined || group?.soft !== undefined,
    comparison: isFrequencyAt(tokens, at, found.kind)
      ? undefined
      : readComparison(found.kind, phrase, rest, tokens.slice(Math.max(0, at - 2), at)),
    after: tokens.slice(at + 1, end).map(({ text }) => text),
    before: tokens.slice(0, at).map(({ text }) => text),
  };
}

interface Counted {
  readonly words: string[];
  readonly content: string | undefined;
  readonly isMore: boolean;
  readonly isPart: boolean;
  /** "5 more", "2 fewer", "4 years older": the word that compares. */
  readonly comparative: string | undefined;
  readonly end: number;
}

const comparatives =
  /^(?:more|less|fewer|older|younger|taller|shorter|longer|heavier|lighter|farther|further|faster|slower|cheaper|larger|bigger|smaller|higher|lower|greater|deeper|wider)$/;

/** The noun phrase after a number. */
function readCounted(clause: Clause, at: number, end: number): Counted {
  const { tokens } = clause;
  const text = (index: number): string => (index < end ? (tokens[index]?.text ?? '') : '');
  let next = at + 1;
  let isMore = ['another', 'additional', 'extra'].includes(tokens[at - 1]?.text ?? '');
  let comparative: string | undefined;
  let isPart = false;
  const skip = (lead: RegExp): void => {
    while (lead.test(text(next)) && !(text(next) === 'as' && /^(?:many|much)$/.test(text(next - 1)))) {
      if (['more', 'additional', 'extra', 'other', 'others', 'new', 'ones'].includes(text(next)))
        isMore = true;
      if (comparatives.test(text(next))) comparative = text(next);
      next++;
    }
  };
  skip(/^(?:more|less|fewer|additional|extra|other|new|others|ones|-|as|many|much|times|that)$/);
  if (text(next) === 'of' || (determiners.has(text(next)) && tokens[at]?.number?.kind === 'fraction')) {
    isPart = true;
    if (text(next) === 'of') next++;
    while (
      /^(?:the|his|her|their|its|my|our|your|these|those|this|that|all|them|it|total|remaining|original)$/.test(
        text(next),
      )
    )
      next++;
  }
  const words: string[] = [];
  while (next < end && isCountedWord(clause, next, words.length)) words.push(text(next++));
  if (words.length > 0) skip(/^(?:more|less|fewer|additional|extra)$/);
  if (comparatives.test(text(next))) comparative = text(next++);
  const content = text(next) === 'of' && next + 1 < end ? contentAfter(clause, next + 1, end) : undefined;
  return { words, content: content?.noun, isMore, isPart, comparative, end: content?.end ?? next };
}

function isCountedWord(clause: Clause, index: number, length: number): boolean {
  const text = clause.tokens[index]?.text ?? '';
  if (length >= 4 || !mayBeNoun(text) || index === clause.verbAt) return false;
  const last = clause.tokens[index - 1]?.text ?? '';
  if (length > 0 && singular(last) !== last && verbOf(text) !== undefined) return false;
  if (length > 0 && (tagWords.has(text) || /(?:ing|ly)$/.test(text))) return false;
  const verb = verbOf(text);
  if (length === 0 && verb === text && !isNounLikeVerb(text)) return false;
  // Past forms and forms of "to be" end a noun phrase; what looks like a plural noun does not.
  return (
    verb === undefined ||
    ((length === 0 || !['be', 'have'].includes(verb)) &&
      (text === verb || text.endsWith('s') || text.endsWith('ing') || (length === 0 && text.endsWith('ed'))))
  );
}

function contentAfter(clause: Clause, start: number, end: number): { noun: string; end: number } | undefined {
  let next = start;
  while (determiners.has(clause.tokens[next]?.text ?? '')) next++;
  const words: string[] = [];
  while (next < end && isCountedWord(clause, next, words.length))
    words.push(clause.tokens[next++]?.text ?? '');
  const noun = words.at(-1);
  return noun === undefined ? undefined : { noun: singular(noun), end: next };
}

function readTags(tokens: readonly Token[], at: number, end: number): string[] {
  const after = tokens
    .slice(at + 1, end)
    .filter(({ text }) => tagWords.has(text))
    .map(({ text }) => text);
  if (after.length > 0) return after;
  return tokens
    .slice(0, at)
    .filter(({ text }) => tagWords.has(text))
    .map(({ text }) => text)
    .slice(-1);
}

function readComparison(
  kind: NumberKind,
  phrase: Counted,
  rest: readonly Token[],
  before: readonly Token[],
): Comparison | undefined {
  const than = rest.findIndex(({ text }) => text === 'than');
  const as = rest.findIndex(({ text }) => ['as', 'what', 'number', 'amount', 'price', 'cost'].includes(text));
  if (kind === 'times' || (kind === 'fraction' && (as >= 0 || before.some(({ text }) => text === 'as')))) {
    const from = than >= 0 ? than : as;
    if (from < 0) return { direction: 'times', words: [] };
    return { direction: 'times', words: contentWords(rest.slice(from + 1)) };
  }
  const { comparative } = phrase;
  const isLess =
    comparative !== undefined &&
    /^(?:less|fewer|younger|shorter|lighter|slower|cheaper|smaller|lower)$/.test(comparative);
  if (than >= 0) return { direction: isLess ? 'less' : 'more', words: contentWords(rest.slice(than + 1)) };
  const standsAlone = comparative !== undefined && (comparative !== 'more' || false);
  return standsAlone ? { direction: isLess ? 'less' : 'more', words: [] } : undefined;
}

/** "3 times a week" counts; it compares nothing. */
function isFrequencyAt(tokens: readonly Token[], at: number, kind: NumberKind): boolean {
  const next = tokens[at + 1]?.text ?? '';
  return (
    kind === 'times' &&
    (/^(?:a|an|per|each|every|daily|weekly|monthly)$/.test(next) || at + 1 === tokens.length)
  );
}
