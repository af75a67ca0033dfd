import type { Clause } from './clauses.ts';
import { isGeneric, readNounPhrase, subjectName } from './nounPhrases.ts';
import { isMeasure, isTime, singular, tagWords } from './nouns.ts';
import type { Token } from './text.ts';
import { determiners, mayBeNoun, prepositions, verbOf } from './verbs.ts';

const packedUnits =
  /^(?:page|slice|piece|minute|hour|mile|pound|ounce|foot|inch|liter|litre|gallon|day|week|dollar|seat|room|member|person|pack|meter|metre|gram|kilogram|kg|cup|point|cent|story|question|acre|month|year|kilometer|centimeter|cm|ml|oz|lb)$/;

/** "48 page report": 48 pages for each report. */
export function packedWords(
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
export function groupBefore(
  tokens: readonly Token[],
  at: number,
): { per: string | undefined; soft: string | undefined } | undefined {
  if (tokens[at - 1]?.text !== 'of') return undefined;
  const group = tokens[at - 2]?.text ?? '';
  if (
    !mayBeNoun(group) ||
    /^(?:class|family|team|party|crew|crowd|troop|total|rate|speed|price|cost|average|sum|distance|weight|height|length|width|tip|discount|rest|each|one|age|out|capacity|score|fee|deposit|payment|profit|salary|pace|budget|savings|population|ratio|number|tax|balance|goal|area|perimeter|volume|team)$/.test(
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
export function containerOf(
  tokens: readonly Token[],
  at: number,
  previous: EarlierMention | undefined,
): string | undefined {
  const isOfA =
    /^(?:a|an|the)$/.test(tokens[at - 1]?.text ?? '') &&
    /^(?:of|around|from|in)$/.test(tokens[at - 2]?.text ?? '');
  const counted = singular(tokens[at - 3]?.text ?? '');
  return isOfA && previous?.noun === counted ? counted : undefined;
}

const perWords = /^(?:per|each|every|\/)$/;

/** What has been read of the number before in the same clause. */
export interface EarlierMention {
  readonly at: number;
  readonly noun: string | undefined;
  readonly per: string | undefined;
}

export function readPer(
  clause: Clause,
  at: number,
  from: number,
  end: number,
  previous: EarlierMention | undefined,
): string | undefined {
  return perAfter(clause, from, end) ?? perBefore(clause, at, previous);
}

export function secondPer(
  clause: Clause,
  at: number,
  from: number,
  end: number,
  previous: EarlierMention | undefined,
): string | undefined {
  const after = perAfter(clause, from, end);
  const before = previous === undefined ? perBefore(clause, at, previous) : undefined;
  return after !== undefined && before !== undefined && after !== before && after !== 'each'
    ? before
    : undefined;
}

/** "… per day", "$3 a pound", "for each chair", "in every box", "each". */
export function perAfter(clause: Clause, from: number, end: number): string | undefined {
  const { tokens } = clause;
  const text = (index: number): string => (index < end ? (tokens[index]?.text ?? '') : '');
  const limit = Math.min(end, from + 8);
  for (let at = from; at < limit; at++) {
    if (perWords.test(text(at))) {
      if (text(at + 1) === 'other') return undefined;
      const counted = numberOfEach(clause, at + 1);
      if (counted !== undefined) return nounAfter(clause, counted + 1, tokens.length);
      return dayOf(nounAfter(clause, at + 1, end)) ?? (text(at) === 'each' ? 'each' : undefined);
    }
    if (text(at) === 'apiece') return 'each';
    const isDirect = at === from || (at === from + 1 && ['miles', 'dollars', 'up'].includes(text(from)));
    if (isDirect && ['a', 'an'].includes(text(at))) return dayOf(nounAfter(clause, at + 1, end));
    if (
      text(at) === 'in' &&
      /^(?:a|an|one)$/.test(text(at + 1)) &&
      !clause.isQuestion &&
      isMeasure(singular(text(at + 2)))
    )
      return singular(text(at + 2));
    if (['daily', 'weekly', 'monthly', 'yearly', 'hourly'].includes(text(at))) {
      return { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year', hourly: 'hour' }[text(at)];
    }
    if ([',', ';', 'and', 'than', 'plus'].includes(text(at))) return undefined;
  }
  return undefined;
}

/** Where the number stands in "each of his 9 friends". */
function numberOfEach({ tokens }: Clause, from: number): number | undefined {
  if (tokens[from]?.text !== 'of') return undefined;
  let at = from + 1;
  while (determiners.has(tokens[at]?.text ?? '')) at++;
  return tokens[at]?.number === undefined ? undefined : at;
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
  if (length === 0 && text === 'can') return true;
  if (length >= 3 || !mayBeNoun(text) || at === clause.verbAt) return false;
  return length === 0 || (!tagWords.has(text) && verbOf(text) === undefined);
}

/** "Each tray holds 16", "every day he reads 15", "gives each friend 5". */
function perBefore(clause: Clause, at: number, previous: EarlierMention | undefined): string | undefined {
  const { tokens } = clause;
  for (let index = at - 1; index >= 0; index--) {
    const text = tokens[index]?.text ?? '';
    if (text !== 'each' && text !== 'every') continue;
    if (tokens[index + 1]?.text === 'other') return undefined;
    const noun = dayOf(nounAfterEach(clause, index, at));
    if (noun === undefined) continue;
    if (isSubject(clause, index, at) && !isTime(noun)) return undefined;
    const isPastSubject = previous !== undefined && previous.at < clause.verbAt && clause.verbAt < at;
    const between = previous !== undefined && previous.at > index && !isPastSubject;
    if (between && previous.per !== noun && !isWithinEach(clause, index, previous.at)) return undefined;
    if (between && isWithinEach(clause, index, previous.at) && previous.at === at) return undefined;
    return noun;
  }
  return undefined;
}

/** In "each student in a class of 28 needs 3" the 28 belongs to the subject. */
function isSubject({ tokens, verbAt }: Clause, each: number, at: number): boolean {
  return at < verbAt && !prepositions.has(tokens[each - 1]?.text ?? '');
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
export function softPer(clause: Clause, at: number, rest: readonly Token[]): string | undefined {
  return beneficiary(rest) ?? madeIn(clause.tokens, at) ?? subjectThing(clause, at);
}

/** "$4 for a ticket", "$8 for adults". */
function beneficiary(rest: readonly Token[]): string | undefined {
  const at = rest.findIndex(({ text }, index) => {
    const next = rest[index + 1]?.text ?? '';
    const isPlural = mayBeNoun(next) && singular(next) !== next;
    return (
      ['for', 'on'].includes(text) &&
      (/^(?:a|an|the|one)$/.test(next) || (isPlural && (text === 'for' || tagWords.has(singular(next)))))
    );
  });
  return at < 0 ? undefined : readNounPhrase(rest.slice(at + 1))?.head;
}

/** "A notebook costs $3", "the price of a notebook is $3". */
function subjectThing({ subject, tokens, verbAt, verbClass }: Clause, at: number): string | undefined {
  if (subject === undefined || verbAt < 0 || at < verbAt || subject.isName || verbClass === 'divide')
    return undefined;
  const before = tokens.slice(0, verbAt);
  if (before.some((token) => token.number !== undefined && token.text !== 'one')) return undefined;
  if (/^(?:price|cost|fee|weight|charge|fare)$/.test(subject.head)) {
    const of = before.findIndex(({ text }) => text === 'of' || text === 'for');
    return of < 0 ? undefined : readNounPhrase(before.slice(of + 1))?.head;
  }
  return isGeneric(subject) ? subjectName(subject) : undefined;
}

/** "knits a hat in 7 hours", "needs 20 minutes to paint one pot": the time for one thing. */
function madeIn(tokens: readonly Token[], at: number): string | undefined {
  if (!isTime(singular(tokens[at + 1]?.text ?? ''))) return undefined;
  const isOne = (index: number): boolean => /^(?:a|an|one|each)$/.test(tokens[index]?.text ?? '');
  const before = tokens[at - 1]?.text === 'in' && isOne(at - 3) ? tokens[at - 2]?.text : undefined;
  const after = tokens[at + 2]?.text === 'to' && isOne(at + 4) ? tokens[at + 5]?.text : undefined;
  const noun = before ?? after;
  return noun === undefined ? undefined : singular(noun);
}
