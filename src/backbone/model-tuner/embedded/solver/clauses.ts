import {
  auxiliaries,
  classOfVerb,
  determiners,
  isNounLikeVerb,
  mayBeNoun,
  personalPronouns,
  prepositions,
  verbOf,
  type VerbClass,
} from './verbs.ts';
import { singular } from './nouns.ts';
import type { Sentence, Token } from './text.ts';

/** What a clause speaks of: the noun or name before its verb. */
export interface NounPhrase {
  /** Singular, lower case; names as they are. */
  readonly head: string;
  readonly modifiers: readonly string[];
  /** `a`, `each`, `his`, …; "" where there is none. */
  readonly determiner: string;
  readonly isPlural: boolean;
  /** Whether it is a name, or a person by pronoun. */
  readonly isName: boolean;
  /** The other parts of "Ann, Ben and Cleo". */
  readonly others: readonly string[];
}

/** A stretch of a sentence with one main verb. */
export interface Clause {
  readonly tokens: readonly Token[];
  readonly sentence: number;
  readonly subject: NounPhrase | undefined;
  readonly verb: string;
  readonly verbClass: VerbClass;
  /** Position of the main verb; -1: none of its own (it goes on with the verb of the clause before). */
  readonly verbAt: number;
  readonly isPassive: boolean;
  /** Holds the question itself, from its question word on. */
  readonly isQuestion: boolean;
}

const boundaries = new Set([
  ',',
  ';',
  'and',
  'but',
  'then',
  'while',
  'so',
  'if',
  'when',
  'because',
  'who',
  'which',
  'that',
  'where',
  'after',
  'before',
  'until',
  'whereas',
  'although',
  'though',
  ':',
]);
const questionStart = /^(?:how|what|what's|find|calculate|determine|compute)$/;

/** The clauses of a text in order. Pronouns stay as they are. */
export function readClauses(sentences: readonly Sentence[]): Clause[] {
  const clauses: Clause[] = [];
  sentences.forEach((sentence, index) => {
    const [statement, question, condition] = divideQuestion(sentence);
    for (const part of [statement, condition]) {
      for (const tokens of splitClauses(part)) clauses.push(readClause(tokens, index, false, clauses.at(-1)));
    }
    if (question.length > 0) clauses.push(readClause(question, index, true, clauses.at(-1)));
  });
  return clauses.sort((a, b) => Number(a.isQuestion) - Number(b.isQuestion));
}

/** What is stated before the question, the question, and what is stated after it ("…, if each costs $2?"). */
function divideQuestion({ tokens, isQuestion }: Sentence): readonly [Token[], Token[], Token[]] {
  if (!isQuestion) return [[...tokens], [], []];
  const start = tokens.findIndex(({ text }) => questionStart.test(text));
  if (start < 0) return [[], [...tokens], []];
  const after = tokens.slice(start);
  const end = after.findIndex(({ text }, at) => at > 2 && ['if', 'when', 'given', 'assuming'].includes(text));
  const condition = end < 0 ? [] : after.slice(end + 1);
  const hasFacts = condition.some((token) => token.number !== undefined);
  return hasFacts
    ? [tokens.slice(0, start), after.slice(0, end), condition]
    : [tokens.slice(0, start), after, []];
}

function splitClauses(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let current: Token[] = [];
  tokens.forEach((token, at) => {
    if (boundaries.has(token.text) && current.length > 0 && startsClause(tokens, at, current)) {
      parts.push(current);
      current = [];
      if (token.text === ',' || token.text === 'and' || token.text === ';') return;
    }
    current.push(token);
  });
  if (current.length > 0) parts.push(current);
  return parts.filter((part) => part.some(({ text }) => /\w/.test(text)));
}

function startsClause(tokens: readonly Token[], at: number, current: readonly Token[]): boolean {
  const rest = tokens.slice(at + 1);
  const end = rest.findIndex(({ text }, offset) => offset > 0 && boundaries.has(text));
  const segment = end < 0 ? rest : rest.slice(0, end);
  const hasVerb = findVerb(segment) !== undefined;
  if (!hasVerb) return false;
  if (findVerb(current) === undefined)
    return current.some(({ text }) => ['if', 'when', 'after', 'before'].includes(text));
  return true;
}

interface FoundVerb {
  readonly at: number;
  readonly verb: string;
  readonly isPassive: boolean;
}

const modalVerbs = new Set([
  'want',
  'need',
  'plan',
  'hope',
  'wish',
  'try',
  'intend',
  'decide',
  'start',
  'begin',
  'continue',
  'go',
  'like',
  'love',
  'be',
  'have',
  'manage',
  'help',
  'let',
  'agree',
]);

/** The main verb of a stretch: the first, or the one that it only helps ("has sold", "decides to buy", "was given"). */
function findVerb(tokens: readonly Token[]): FoundVerb | undefined {
  for (let at = 0; at < tokens.length; at++) {
    if (!isVerbAt(tokens, at)) continue;
    const verb = verbOf(tokens[at]?.text ?? '') ?? tokens[at]?.text ?? '';
    return followHelpers(tokens, at, verb);
  }
  return undefined;
}

function followHelpers(tokens: readonly Token[], at: number, verb: string): FoundVerb {
  if (!modalVerbs.has(verb)) return { at, verb, isPassive: false };
  for (let next = at + 1; next < Math.min(tokens.length, at + 5); next++) {
    const text = tokens[next]?.text ?? '';
    const found = verbOf(text);
    if (tokens[next]?.number !== undefined || determiners.has(text)) break;
    if (text === 'left' || found === undefined || found === 'be' || (found === 'have' && verb === 'have'))
      continue;
    const afterTo = tokens[next - 1]?.text === 'to';
    if (afterTo && ['want', 'need', 'plan', 'hope', 'wish', 'intend'].includes(verb)) {
      if (classOfVerb(found) === 'divide') return { at: next, verb: found, isPassive: false };
      return { at, verb: 'need', isPassive: false };
    }
    const isParticiple =
      /(?:ed|en|ing)$/.test(text) ||
      (text !== found && !text.endsWith('s')) ||
      ['cut', 'put', 'read', 'set', 'split', 'hit', 'cost'].includes(text);
    if (afterTo) return followHelpers(tokens, next, found);
    if ((verb === 'be' || verb === 'have') && isParticiple && !isNounAt(tokens, next)) {
      const isBe = verb === 'be' || tokens.slice(at, next).some((token) => token.text === 'been');
      return { at: next, verb: found, isPassive: isBe && !text.endsWith('ing') };
    }
    if (verb === 'go' && text.endsWith('ing')) return { at: next, verb: found, isPassive: false };
  }
  return { at, verb, isPassive: false };
}

function isNounAt(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  return (
    mayBeNoun(next) &&
    tokens[at + 1]?.number === undefined &&
    verbOf(tokens[at]?.text ?? '') === tokens[at]?.text
  );
}

function isVerbAt(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || token.number !== undefined) return false;
  const { text } = token;
  const before = tokens[at - 1];
  const next = tokens[at + 1];
  const verb = verbOf(text);
  if (verb === undefined) return isUnknownVerb(tokens, at);
  if (before === undefined) return !isNounLikeVerb(text) || opensObject(next);
  if (before.number !== undefined)
    return ['be', 'have'].includes(verb) || (!isNounLikeVerb(text) && text !== 'left' && verb !== text);
  if (before.text === 'to' || before.text === 'of') return false;
  if (prepositions.has(before.text) && !['up', 'out', 'off', 'about', 'in'].includes(before.text))
    return false;
  if (
    determiners.has(before.text) &&
    ![
      'both',
      'all',
      'each',
      'that',
      'this',
      'these',
      'those',
      'another',
      'some',
      'many',
      'few',
      'her',
      'other',
    ].includes(before.text)
  )
    return false;
  if (determiners.has(before.text) && isNounLikeVerb(text)) return false;
  if (text === 'left') return !['be', 'have'].includes(verbOf(before.text) ?? '') && at > 0;
  if (
    auxiliaries.has(text) &&
    ['will', 'would', 'can', 'could', 'should', 'must', 'may', 'might', 'shall'].includes(text)
  )
    return false;
  if (!isNounLikeVerb(text)) return true;
  if (isCountedPlural(tokens, at - 1)) return true;
  return (
    personalPronouns.has(before.text) ||
    before.capital ||
    auxiliaries.has(before.text) ||
    [
      'who',
      'which',
      'that',
      'and',
      'then',
      'also',
      'always',
      'usually',
      'only',
      'later',
      'now',
      'each',
      'already',
      'so',
    ].includes(before.text) ||
    opensObject(next)
  );
}

/** "64 cars park": a plural with its number before it is complete, so that a verb follows. */
function isCountedPlural(tokens: readonly Token[], at: number): boolean {
  const noun = tokens[at]?.text ?? '';
  const isCounted = tokens.slice(Math.max(0, at - 3), at).some((token) => token.number !== undefined);
  return isCounted && mayBeNoun(noun) && singular(noun) !== noun;
}

/** After a name or pronoun, a word in the past tense that is not in the lexicon is a verb as well. */
function isUnknownVerb(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  const before = tokens[at - 1];
  if (before === undefined || !/^[a-z]{3,}(?:ed|s)$/.test(text) || text.endsWith('ss')) return false;
  if (determiners.has(text) || prepositions.has(text)) return false;
  const afterSubject = personalPronouns.has(before.text) || (before.capital && /^[a-z]+$/.test(before.text));
  return afterSubject && !tokens[at]?.capital && (text.endsWith('ed') || opensObject(tokens[at + 1]));
}

function opensObject(next: Token | undefined): boolean {
  if (next === undefined) return false;
  return (
    next.number !== undefined ||
    [
      'a',
      'an',
      'the',
      'his',
      'her',
      'their',
      'them',
      'each',
      'every',
      'all',
      'some',
      'another',
      'about',
      'at',
      'for',
      'only',
      'exactly',
      'half',
      'up',
    ].includes(next.text)
  );
}

function readClause(
  tokens: readonly Token[],
  sentence: number,
  isQuestion: boolean,
  previous: Clause | undefined,
): Clause {
  const found = isQuestion ? findQuestionVerb(tokens) : findVerb(tokens);
  const read = found === undefined ? undefined : readSubject(tokens, found.at, isQuestion);
  const own = read !== undefined && /^(?:who|which|that)$/.test(read.head) ? undefined : read;
  const relative = /^(?:who|which|that)$/.test(tokens[0]?.text ?? '');
  const subject =
    own ??
    (relative ? lastNounPhrase(previous?.tokens ?? []) : undefined) ??
    (isQuestion ? undefined : previous?.subject);
  const verb = found?.verb ?? (isQuestion ? 'be' : (previous?.verb ?? 'be'));
  return {
    tokens,
    sentence,
    subject,
    verb,
    verbClass: classOfVerb(verb),
    verbAt: found?.at ?? -1,
    isPassive: found?.isPassive ?? false,
    isQuestion,
  };
}

/** In "how many apples did Ann eat" the verb that matters is the last one, not the one that asks. */
function findQuestionVerb(tokens: readonly Token[]): FoundVerb | undefined {
  const helper = tokens.findIndex(({ text }) => auxiliaries.has(text));
  if (helper >= 0) {
    for (let at = helper + 1; at < tokens.length; at++) {
      const verb = verbOf(tokens[at]?.text ?? '');
      const before = tokens[at - 1]?.text ?? '';
      if (
        verb === undefined ||
        tokens[at]?.number !== undefined ||
        determiners.has(before) ||
        prepositions.has(before)
      )
        continue;
      if (at === helper + 1 && at + 1 < tokens.length && isNounLikeVerb(tokens[at]?.text ?? '')) continue;
      return followHelpers(tokens, at, verb);
    }
    const verb = verbOf(tokens[helper]?.text ?? '');
    return verb === undefined ? undefined : { at: helper, verb, isPassive: false };
  }
  return findVerb(tokens.slice(1).length > 0 ? tokens : []);
}

function readSubject(tokens: readonly Token[], verbAt: number, isQuestion: boolean): NounPhrase | undefined {
  let end = verbAt;
  if (isQuestion) {
    const helper = tokens.findIndex(({ text }, at) => at < verbAt && auxiliaries.has(text));
    return helper < 0 ? undefined : readNounPhrase(tokens.slice(helper + 1, end));
  }
  // Helpers and adverbs stand between a subject and its verb.
  while (
    end > 0 &&
    /^(?:able|has|have|had|is|are|was|were|be|been|being|will|would|can|could|to|also|already|then|only|always|usually|now|later|just|still|each|both|all|not|wants?|wanted|needs?|decides?|decided|plans?|planned|went|goes|go)$/.test(
      tokens[end - 1]?.text ?? '',
    )
  )
    end--;
  return readNounPhrase(tokens.slice(0, end));
}

/** "There are …": nobody's. */
const existential: NounPhrase = { head: 'there', modifiers: [], determiner: '', isPlural: false, isName: false, others: [] };

/** The noun phrase that a stretch begins with, after the words that lead to it ("on Monday", "if", "then"). */
export function readNounPhrase(tokens: readonly Token[]): NounPhrase | undefined {
  if (tokens.some(({ text }) => text === 'there')) return existential;
  const start = skipLead(tokens);
  const phrase = tokens.slice(start);
  const cut = phrase.findIndex(({ text }, at) => at > 0 && prepositions.has(text) && text !== 'of');
  const body = cut < 0 ? phrase : phrase.slice(0, cut);
  const ofAt = body.findIndex(({ text }) => text === 'of');
  const isEachOf = ofAt > 0 && /^(?:each|every|all|both|one|some)$/.test(body[ofAt - 1]?.text ?? '');
  const main = ofAt < 0 ? body : isEachOf ? body.slice(ofAt + 1) : body.slice(0, ofAt);
  const words = main.filter(
    ({ text, number }) =>
      number === undefined && (mayBeNoun(text) || personalPronouns.has(text) || text === 'who'),
  );
  const head = words.at(-1);
  if (head === undefined) return undefined;
  const names = words
    .filter(({ capital }, at) => capital || at === words.length - 1)
    .map(({ text }) => stripPossessive(text));
  const joined = main.some(({ text }) => text === 'and');
  return {
    head: headNoun(head),
    modifiers: words.slice(0, -1).map(({ text }) => text),
    determiner: isEachOf ? 'each' : (main.find(({ text }) => determiners.has(text))?.text ?? ''),
    isPlural: singular(head.text) !== head.text || joined,
    isName:
      (head.capital && start > 0) || personalPronouns.has(head.text) || (head.capital && main.length === 1),
    others: joined ? names.slice(0, -1) : [],
  };
}

function headNoun(token: Token): string {
  return token.capital ? stripPossessive(token.text) : singular(stripPossessive(token.text));
}

function stripPossessive(text: string): string {
  return text.replace(/'s?$/, '');
}

function skipLead(tokens: readonly Token[]): number {
  let start = 0;
  // Everything up to the last comma is an introduction, unless it is a list of subjects.
  const comma = tokens.findLastIndex(({ text }) => text === ',');
  if (comma >= 0 && !tokens.slice(comma).some(({ text }) => text === 'and')) start = comma + 1;
  while (
    start < tokens.length &&
    /^(?:if|when|then|and|but|so|while|after|before|because|,|;|that|finally|later|next|also|however|first|today|yesterday|now|meanwhile|additionally|afterwards|therefore|until|where|whereas|as|suppose)$/.test(
      tokens[start]?.text ?? '',
    )
  )
    start++;
  // A lead such as "on Monday" or "in the morning" ends where the next noun phrase begins.
  if (prepositions.has(tokens[start]?.text ?? '')) {
    const rest = tokens.slice(start + 1);
    const next = rest.findIndex(
      ({ text, capital }, at) =>
        at > 0 && (personalPronouns.has(text) || determiners.has(text) || (capital && at > 0)),
    );
    if (next >= 0) return start + 1 + next;
  }
  return start;
}

function lastNounPhrase(tokens: readonly Token[]): NounPhrase | undefined {
  const at = tokens.findLastIndex(({ text, number }) => number === undefined && mayBeNoun(text));
  const token = tokens[at];
  if (token === undefined) return undefined;
  const determiner = tokens[at - 1]?.text ?? '';
  return {
    head: headNoun(token),
    modifiers: [],
    determiner: determiners.has(determiner) ? determiner : '',
    isPlural: singular(token.text) !== token.text,
    isName: token.capital,
    others: [],
  };
}
