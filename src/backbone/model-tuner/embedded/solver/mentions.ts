import type { Expression } from '../expression.ts';
import { readNounPhrase, type Clause, type NounPhrase } from './clauses.ts';
import { isMeasure, isTime, singular, tagWords } from './nouns.ts';
import type { NumberKind, Token } from './text.ts';
import { determiners, mayBeNoun, personalPronouns, prepositions, verbOf } from './verbs.ts';

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
    if (token.number === undefined || isLabel(clause.tokens, at)) return;
    mentions.push(readMention(clause, at, token.number, mentions.at(-1)));
  });
  return mentions;
}

/** Times of day, years and grades are names, not amounts. */
function isLabel(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  const before = tokens[at - 1]?.text ?? '';
  const next = tokens[at + 1]?.text ?? '';
  if (/:/.test(text) || ['am', 'pm', "o'clock"].includes(next)) return true;
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
    alsoPer: secondPer(clause, at, phrase.end, end, previous),
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

const packedUnits =
  /^(?:page|slice|piece|minute|hour|mile|pound|ounce|foot|inch|liter|litre|gallon|day|week|dollar|seat|room|member|person|pack|meter|metre|gram|kilogram|kg|cup|point|cent|story|question|acre|month|year|kilometer|centimeter|cm|ml|oz|lb)$/;

/** "48 page report": 48 pages for each report. */
function packedWords(
  words: readonly string[],
  numberText: string,
): { noun: string; per: string; isMany: boolean } | undefined {
  const [first, ...others] = words;
  const last = others.at(-1);
  if (first === undefined || last === undefined || !packedUnits.test(first)) return undefined;
  if (numberText === '1' || numberText === 'one') return undefined;
  return { noun: first, per: singular(last), isMany: singular(last) !== last };
}

/** "boxes of 6", "a pack of 12 pencils": the number is the size of a group. */
function groupBefore(
  tokens: readonly Token[],
  at: number,
): { per: string | undefined; soft: string | undefined } | undefined {
  if (tokens[at - 1]?.text !== 'of') return undefined;
  const group = tokens[at - 2]?.text ?? '';
  if (
    !mayBeNoun(group) ||
    /^(?:total|rate|speed|price|cost|average|sum|distance|weight|height|length|width|tip|discount|rest|each|one|age|out|capacity|score|fee|deposit|payment|profit|salary|pace|budget|savings|population|ratio|number|tax|balance|goal|area|perimeter|volume|team)$/.test(
      group,
    ) ||
    /(?:ings|ance)$/.test(group)
  )
    return undefined;
  const name = singular(group);
  const isOne = name === group || /^(?:a|an|the|his|her|their|this)$/.test(tokens[at - 3]?.text ?? '');
  return isOne ? { per: undefined, soft: name } : { per: name, soft: undefined };
}

/** "3 copies of a 48-page report": what is counted before holds the number after. */
function containerOf(
  tokens: readonly Token[],
  at: number,
  previous: Mention | undefined,
): { per: string; soft: undefined } | undefined {
  const isOfA = /^(?:a|an|the)$/.test(tokens[at - 1]?.text ?? '') && /^(?:of|around|from|in)$/.test(tokens[at - 2]?.text ?? '');
  const counted = singular(tokens[at - 3]?.text ?? '');
  return isOfA && previous?.noun === counted ? { per: counted, soft: undefined } : undefined;
}

const perWords = /^(?:per|each|every|\/)$/;

function readPer(
  clause: Clause,
  at: number,
  from: number,
  end: number,
  previous: Mention | undefined,
): string | undefined {
  return perAfter(clause, from, end) ?? perBefore(clause, at, previous);
}

function secondPer(
  clause: Clause,
  at: number,
  from: number,
  end: number,
  previous: Mention | undefined,
): string | undefined {
  const after = perAfter(clause, from, end);
  const before = previous === undefined ? perBefore(clause, at, previous) : undefined;
  return after !== undefined && before !== undefined && after !== before && after !== 'each'
    ? before
    : undefined;
}

/** "… per day", "$3 a pound", "for each chair", "in every box", "each". */
function perAfter(clause: Clause, from: number, end: number): string | undefined {
  const { tokens } = clause;
  const text = (index: number): string => (index < end ? (tokens[index]?.text ?? '') : '');
  const limit = Math.min(end, from + 8);
  for (let at = from; at < limit; at++) {
    if (perWords.test(text(at))) {
      if (text(at + 1) === 'other') return undefined;
      return dayOf(nounAfter(clause, at + 1, end)) ?? (text(at) === 'each' ? 'each' : undefined);
    }
    if (text(at) === 'apiece') return 'each';
    const isDirect = at === from || (at === from + 1 && ['miles', 'dollars', 'up'].includes(text(from)));
    if (isDirect && ['a', 'an'].includes(text(at))) return nounAfter(clause, at + 1, end);
    if (
      text(at) === 'in' &&
      /^(?:a|an|one)$/.test(text(at + 1)) &&
      !clause.isQuestion &&
      isTime(singular(text(at + 2)))
    )
      return singular(text(at + 2));
    if (['daily', 'weekly', 'monthly', 'yearly', 'hourly'].includes(text(at))) {
      return { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year', hourly: 'hour' }[text(at)];
    }
    if ([',', ';', 'and', 'than'].includes(text(at))) return undefined;
  }
  return undefined;
}

/** "every morning" comes once a day. */
function dayOf(noun: string | undefined): string | undefined {
  return noun !== undefined && /^(?:morning|evening|afternoon|night)$/.test(noun) ? 'day' : noun;
}

function nounAfter(clause: Clause, from: number, end: number): string | undefined {
  const words: string[] = [];
  let at = from;
  if (clause.tokens[at]?.text === 'of') at++;
  while (determiners.has(clause.tokens[at]?.text ?? '') && at > from) at++;
  while (at < end && isPerWord(clause, at, words.length)) words.push(clause.tokens[at++]?.text ?? '');
  const last = words.at(-1);
  if (last === undefined) return undefined;
  return words.at(-2) === 'square' ? `square ${singular(last)}` : singular(last);
}

function isPerWord(clause: Clause, at: number, length: number): boolean {
  const text = clause.tokens[at]?.text ?? '';
  if (length >= 3 || !mayBeNoun(text) || at === clause.verbAt) return false;
  return length === 0 || (!tagWords.has(text) && verbOf(text) === undefined);
}

/** "Each tray holds 16", "every day he reads 15", "gives each friend 5". */
function perBefore(clause: Clause, at: number, previous: Mention | undefined): string | undefined {
  const { tokens } = clause;
  for (let index = at - 1; index >= 0; index--) {
    const text = tokens[index]?.text ?? '';
    if (!perWords.test(text)) continue;
    if (tokens[index + 1]?.text === 'other') return undefined;
    const noun = dayOf(nounAfterEach(clause, index, at));
    if (noun === undefined) continue;
    const between = previous !== undefined && previous.at > index;
    if (between && previous.per !== noun && !isWithinEach(clause, index, previous.at)) return undefined;
    if (between && isWithinEach(clause, index, previous.at) && previous.at === at) return undefined;
    return noun;
  }
  return undefined;
}

/** In "each of the 7 teams" the 7 counts the teams; what comes after is for each of them. */
function isWithinEach(clause: Clause, each: number, number: number): boolean {
  const between = clause.tokens.slice(each + 1, number);
  return between[0]?.text === 'of' && between.every(({ text }) => text === 'of' || determiners.has(text));
}

function nounAfterEach(clause: Clause, each: number, before: number): string | undefined {
  const inner = clause.tokens.slice(each + 1, before);
  const numberAt = inner.findIndex((token) => token.number !== undefined);
  if (inner[0]?.text === 'of' && numberAt >= 0)
    return nounAfter(clause, each + 2 + numberAt, clause.tokens.length);
  return nounAfter(clause, each + 1, before);
}

/** A thing that is named with "a" or in the plural as the subject may turn out to be counted elsewhere. */
function softPer(clause: Clause, at: number, rest: readonly Token[]): string | undefined {
  const forOne = rest.findIndex(
    ({ text }, index) =>
      ['for', 'on'].includes(text) && (/^(?:a|an|the|one)$/.test(rest[index + 1]?.text ?? '') || (text === 'for' && mayBeNoun(rest[index + 1]?.text ?? '') && singular(rest[index + 1]?.text ?? '') !== rest[index + 1]?.text)),
  );
  if (forOne >= 0) {
    const phrase = readNounPhrase(rest.slice(forOne + 1));
    if (phrase !== undefined) return phrase.head;
  }
  const { subject, verbAt } = clause;
  if (subject === undefined || verbAt < 0 || at < verbAt || subject.isName || clause.verbClass === 'divide')
    return undefined;
  if (clause.tokens.slice(0, verbAt).some((token) => token.number !== undefined)) return undefined;
  return isGeneric(subject) ? subjectName(subject) : undefined;
}

function isGeneric(subject: NounPhrase): boolean {
  return (
    ['a', 'an', 'one', 'each', 'every', '', 'the'].includes(subject.determiner) &&
    !personalPronouns.has(subject.head)
  );
}

/** "Adult tickets" → `adult ticket`: the modifier tells it from other tickets. */
export function subjectName(subject: NounPhrase): string {
  return [...subject.modifiers.filter((word) => !/^(?:each|one)$/.test(word)), subject.head].join(' ');
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

export function contentWords(tokens: readonly Token[]): string[] {
  return tokens
    .map(({ text, capital }) => ({ text: text.replace(/'s?$/, ''), capital }))
    .filter(
      ({ text }) =>
        (/^[a-z]/.test(text) &&
          !prepositions.has(text) &&
          (!determiners.has(text) || text === 'each') &&
          verbOf(text) === undefined &&
          !/^(?:as|many|much|what|he|than)$/.test(text)) ||
        /^(?:her|him|he|she|his)$/.test(text),
    )
    .map(({ text, capital }) => (capital ? text : singular(text)));
}

export function isUnitOfMeasure(noun: string | undefined): boolean {
  return noun !== undefined && isMeasure(noun);
}
