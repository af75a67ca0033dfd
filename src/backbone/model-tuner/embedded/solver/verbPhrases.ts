import { singular } from './nouns.ts';
import type { Token } from './text.ts';
import {
  auxiliaries,
  classOfVerb,
  determiners,
  isNounLikeVerb,
  mayBeNoun,
  personalPronouns,
  prepositions,
  verbOf,
} from './verbs.ts';

export interface FoundVerb {
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
export function findVerb(tokens: readonly Token[]): FoundVerb | undefined {
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
  if (text.endsWith('ing') && text !== verb) return false; // a helper before it is the verb that is found
  if (before === undefined) return !isNounLikeVerb(text) || opensObject(next);
  if (before.number !== undefined) return followsNumber(verb, text, next);
  const isRelative = /^(?:that|which)$/.test(before.text) && opensObject(next);
  if (!isRelative && leadsToNoun(before.text, isNounLikeVerb(text))) return false;
  if (text === 'left') return !['be', 'have'].includes(verbOf(before.text) ?? '');
  if (!isNounLikeVerb(text) || isCountedPlural(tokens, at - 1)) return true;
  return before.capital || opensVerb.has(before.text) || opensObject(next);
}

/** Words after which even a noun-like form is a verb. */
const opensVerb: ReadonlySet<string> = new Set([
  ...personalPronouns,
  ...auxiliaries,
  ...'who which that and then also always usually only later now each already so'.split(' '),
]);

/** Determiners that also stand alone, so that a verb may follow: "some broke". */
const standAlone = new Set('both all each that this these those another some many few her other'.split(' '));
const particles = new Set(['up', 'out', 'off', 'about', 'in']);

/** Whether the word before makes a noun, or an infinitive, of what follows. */
function leadsToNoun(before: string, isNounLike: boolean): boolean {
  if (before === 'to' || before === 'of') return true;
  if (prepositions.has(before)) return !particles.has(before);
  return determiners.has(before) && (isNounLike || !standAlone.has(before));
}

/** "35 get off", "12 died": not "5 baked potatoes". */
function followsNumber(verb: string, text: string, next: Token | undefined): boolean {
  if (['be', 'have'].includes(verb)) return true;
  if (isNounLikeVerb(text)) return text !== verb && next?.number !== undefined;
  return text !== 'left' && !mayBeNoun(next?.text ?? '');
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

/** In "how many apples did Ann eat" the verb that matters is the last one, not the one that asks. */
export function findQuestionVerb(tokens: readonly Token[]): FoundVerb | undefined {
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
