import { singular } from './nouns.ts';
import type { Token } from './text.ts';
import { auxiliaries, determiners, mayBeNoun, personalPronouns, prepositions, verbOf } from './verbs.ts';

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

export function readSubject(
  tokens: readonly Token[],
  verbAt: number,
  isQuestion: boolean,
): NounPhrase | undefined {
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
const existential: NounPhrase = {
  head: 'there',
  modifiers: [],
  determiner: '',
  isPlural: false,
  isName: false,
  others: [],
};

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
    ({ text, number }, at) =>
      number === undefined &&
      (mayBeNoun(text) || personalPronouns.has(text) || text === 'who' || (text === 'can' && at > 0)),
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

export function lastNounPhrase(tokens: readonly Token[]): NounPhrase | undefined {
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

export function isGeneric(subject: NounPhrase): boolean {
  return (
    ['a', 'an', 'one', 'each', 'every', '', 'the'].includes(subject.determiner) &&
    !personalPronouns.has(subject.head)
  );
}

/** "Adult tickets" → `adult ticket`: the modifier tells it from other tickets. */
export function subjectName(subject: NounPhrase): string {
  return [...subject.modifiers.filter((word) => !/^(?:each|one)$/.test(word)), subject.head].join(' ');
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
