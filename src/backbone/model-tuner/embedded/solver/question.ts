import type { Clause } from './clauses.ts';
import { contentWords } from './nounPhrases.ts';
import { isTime, singular, tagWords } from './nouns.ts';
import { auxiliaries, determiners, mayBeNoun, prepositions, verbOf } from './verbs.ts';

/** What a question asks for. */
export interface Question {
  readonly clause: Clause;
  /** What is to be counted; undefined where the question does not say. */
  readonly noun: string | undefined;
  readonly adjectives: readonly string[];
  /** The words of the question, lower case. */
  readonly words: readonly string[];
  /** Content words, singular: names, things, days. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
  readonly has: (...words: readonly string[]) => boolean;
}

export function readQuestion(clause: Clause): Question {
  const words = clause.tokens.map(({ text }) => text);
  const has = (...wanted: readonly string[]): boolean =>
    wanted.some((word) => ` ${words.join(' ')} `.includes(` ${word} `));
  const { noun, adjectives } = readTarget(clause, words, has);
  return {
    clause,
    noun,
    adjectives,
    words,
    names: contentWords(clause.tokens),
    tags: words.filter((word) => tagWords.has(word)),
    has,
  };
}

interface Target {
  readonly noun: string | undefined;
  readonly adjectives: readonly string[];
}

type Has = Question['has'];

function readTarget(clause: Clause, words: readonly string[], has: Has): Target {
  const many = words.findIndex(
    (word, at) => word === 'how' && ['many', 'much'].includes(words[at + 1] ?? ''),
  );
  if (many >= 0) {
    const counted = nounsFrom(words, many + 2, clause);
    if (words[many + 1] === 'many')
      return counted.noun === 'age' ? { noun: 'year', adjectives: [] } : counted;
    return readAmountTarget(counted, has);
  }
  const only = (noun: string): Target => ({ noun, adjectives: [] });
  if (has('how old', 'what age', 'age', 'ages')) return only('year');
  if (has('how far', 'distance')) return only('distance');
  if (has('how long'))
    return only(has('how long is', 'how long was') && !has('take') ? 'length' : 'duration');
  if (has('how tall', 'how high', 'how deep', 'how wide', 'height', 'length', 'perimeter', 'width'))
    return only('length');
  if (has('how fast', 'speed')) return only('speed');
  if (has('how heavy', 'weight')) return only('weight');
  if (
    has(
      'cost',
      'price',
      'money',
      'profit',
      'change',
      'dollars',
      'bill',
      'spend',
      'pay',
      'salary',
      'earnings',
      'amount of money',
      'earn',
    )
  )
    return only('dollar');
  return readNamedTarget(words, clause);
}

const moneyWords =
  /^(?:older|cost|profit|revenue|income|tip|tax|interest|salary|allowance|saving|bill|discount|pay|price|rent|wage|earning|budget|paycheck|expense|debt)$/;

/** "how much": money, unless something else is named or weighed. */
function readAmountTarget(counted: Target, has: Has): Target {
  if (counted.noun === 'dollar') return has('in cents', 'cents') ? { noun: 'cent', adjectives: [] } : counted;
  if (has('weigh', 'weight')) return { noun: 'weight', adjectives: [] };
  if (has('how much time', 'how much longer', 'take')) return { noun: 'duration', adjectives: [] };
  if (has('farther', 'further')) return { noun: 'distance', adjectives: [] };
  if (has('taller', 'higher')) return { noun: 'length', adjectives: [] };
  if (counted.noun !== undefined && !moneyWords.test(counted.noun)) return counted;
  if (has('older', 'younger')) return { noun: 'year', adjectives: [] };
  return { noun: 'dollar', adjectives: [] };
}

/** "What is the total number of apples?", "Find the number of days it takes." */
function readNamedTarget(words: readonly string[], clause: Clause): Target {
  const at = words.findIndex(
    (word, index) => /^(?:number|total|average|sum|amount|count)$/.test(word) && words[index + 1] === 'of',
  );
  if (at >= 0) return nounsFrom(words, at + 2, clause);
  return { noun: undefined, adjectives: [] };
}

function nounsFrom(words: readonly string[], from: number, clause: Clause): Target {
  const found: string[] = [];
  let at = from;
  while (
    determiners.has(words[at] ?? '') ||
    /^(?:more|fewer|less|additional|extra|other|of|total|full|whole|different|altogether|remaining|left|older|younger)$/.test(
      words[at] ?? '',
    )
  )
    at++;
  for (; at < words.length && found.length < 5; at++) {
    const word = words[at] ?? '';
    const isVerb =
      at === clause.verbAt || auxiliaries.has(word) || ['be', 'have'].includes(verbOf(word) ?? '');
    if (isVerb || !mayBeNoun(word) || clause.tokens[at]?.capital === true || tagWords.has(word)) break;
    if (found.length > 0 && verbOf(word) !== undefined && !word.endsWith('s')) break;
    found.push(word);
  }
  if (
    /^(?:piece|slice|kind|type|number|amount)s?$/.test(found.at(-1) ?? '') &&
    words[at] === 'of' &&
    prepositions.has('of')
  ) {
    const content = nounsFrom(words, at + 1, clause);
    if (content.noun !== undefined) return content;
  }
  const noun = found.at(-1);
  return { noun: noun === undefined ? undefined : singular(noun), adjectives: found.slice(0, -1) };
}

const distances = new Set(['mile', 'kilometer', 'meter', 'foot', 'yard', 'block', 'step', 'lap']);

const lengths = new Set(['centimeter', 'meter', 'foot', 'inch', 'yard', 'kilometer', 'mile', 'millimeter']);

const weights = new Set(['kilogram', 'gram', 'pound', 'ounce', 'ton']);

/** Whether an amount of one unit answers a question for a target such as `distance` or `duration`. */
export function measures(target: string, noun: string): boolean {
  switch (target) {
    case 'distance':
      return distances.has(noun);
    case 'length':
      return lengths.has(noun);
    case 'duration':
      return isTime(noun) && noun !== 'morning';
    case 'weight':
      return weights.has(noun);
    case 'speed':
      return distances.has(noun);
    default:
      return target === noun;
  }
}

export function isOpenMeasure(target: string): boolean {
  return ['distance', 'length', 'duration', 'weight', 'speed'].includes(target);
}
