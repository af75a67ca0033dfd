import type { Expression } from '../expression.ts';
import { times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { isMeasure, isTime, singular, tagWords } from './nouns.ts';
import { plural } from './plurals.ts';
import type { Question } from './question.ts';
import { isDecrease } from './roles.ts';
import { balance, countedBy, narrowed, readings, total, type Reading } from './selection.ts';
import {
  candidate,
  firstMinusRest,
  leftWords,
  totalWords,
  type Candidate,
  type Strategy,
} from './strategy.ts';
import type { World } from './world.ts';

/** What is left, or has come together, after all that came and went. */
export const remaining: Strategy = (question, world) => {
  if (question.noun === 'dollar') return [];
  const asks = question.has(...leftWords) || asksForRest(question, world);
  const chosen = readings(question, markDone(question, countedBy(question, world.amounts)));
  const balances = chosen.flatMap((reading) => balanceOf(question, reading, asks));
  if (!asks) return balances;
  const grown = question.has(...goneWords) ? [] : chosen.flatMap((reading) => growthOf(question, reading));
  if (grown.length > 0) return [...balances, ...grown];
  return [...balances, ...largestLessRest(question, world, chosen[0]?.amounts ?? [], balances.length > 0)];
};

/** Asked with these, what was gained is not the answer. */
const goneWords = [
  'left',
  'remain',
  'remaining',
  'empty',
  'free',
  'missing',
  'available',
  'left over',
  'unsold',
  'not',
];

function balanceOf(question: Question, { amounts, doubt }: Reading, asks: boolean): Candidate[] {
  const lost = amounts.filter(({ role }) => isDecrease(role));
  if (lost.length === 0 || lost.length === amounts.length) return [];
  const names = question.names.filter((name) => !tagWords.has(name));
  const asksForPart = lost.every(
    ({ role, after }) => role === 'part' && after.some((word) => names.includes(word)),
  );
  const unasked = asksForPart || question.has(...totalWords) ? 0.5 : 2.1;
  return candidate(balance(amounts), question.noun, (asks ? 3 : unasked) - doubt);
}

function growthOf(question: Question, { amounts, doubt }: Reading): Candidate[] {
  const isGrowth =
    amounts.length > 1 &&
    amounts.every(({ role }) => !isDecrease(role)) &&
    amounts.some(({ role, isMore }) => isMore || role === 'gain');
  return isGrowth ? candidate(total(amounts, plural(question.noun ?? '')), question.noun, 3 - doubt) : [];
}

/** Chairs less people: where no verb tells what is lost, everything but the largest amount is. */
function largestLessRest(
  question: Question,
  world: World,
  narrow: readonly Amount[],
  hasBalance: boolean,
): Candidate[] {
  const isCounted = !isMeasure(narrow[0]?.noun ?? '');
  const alike = world.amounts.filter(({ isAsked, noun }) => !isAsked && isMeasure(noun) !== isCounted);
  return [narrow, alike].flatMap((amounts, at) => {
    if (amounts.length < 2) return [];
    return candidate(
      firstMinusRest(amounts, question.noun),
      question.noun,
      hasBalance ? 0.5 + at * 0.7 : 2 - at / 2,
    );
  });
}

/** "40 are novels and the rest are dictionaries. How many dictionaries are there?" */
function asksForRest({ noun, adjectives }: Question, { story, amounts }: World): boolean {
  const rest =
    /\b(?:the rest|the others|the remaining(?: ones)?|the remainder)\b([^.?]*)/
      .exec(story)?.[1]
      ?.split(/\W+/)
      .map(singular) ?? [];
  const isCounted = amounts.some((amount) => amount.noun === noun && amount.role === 'part');
  return (
    !isCounted && [noun, ...adjectives].some((word) => word !== undefined && rest.includes(singular(word)))
  );
}

/** Asked what is left to read, what was read is gone. */
function markDone(question: Question, amounts: readonly Amount[]): Amount[] {
  const asks = question.has('left', 'remain', 'remaining', 'still', 'rest');
  const { verb } = question.clause;
  const isDone = (amount: Amount): boolean =>
    amount.verb === verb && amount.role === 'gain' && !['have', 'be'].includes(verb);
  return asks && amounts.some((amount) => !isDone(amount) && !isDecrease(amount.role))
    ? amounts.map((amount) => (isDone(amount) ? { ...amount, role: 'loss' as const } : amount))
    : [...amounts];
}

export const altogether: Strategy = (question, world) => {
  if (question.noun === 'dollar') return [];
  const asks = question.has(...totalWords);
  const unit = question.noun;
  return readings(question, allCounted(question, world)).flatMap(({ amounts, doubt }) => {
    const sameVerb = amounts.filter((amount) => amount.verb === question.clause.verb);
    const byVerb =
      sameVerb.length > 0 &&
      sameVerb.length < amounts.length &&
      !['be', 'have'].includes(question.clause.verb);
    const noun = unit ?? amounts[0]?.noun ?? '';
    return [
      ...candidate(everyDay(amounts, world, noun), noun, 1.5 - doubt),
      ...candidate(total(amounts, plural(noun)), noun, (asks ? 3 : 1) - doubt),
      ...(byVerb ? candidate(total(sameVerb, plural(noun)), noun, 2.5 - doubt) : []),
    ];
  });
};

const dayParts = new Set([
  'morning',
  'noon',
  'afternoon',
  'evening',
  'night',
  'breakfast',
  'lunch',
  'dinner',
]);

/** "2 cups in the morning and 1 in the evening": on each of the days that the question gives. */
function everyDay(amounts: readonly Amount[], world: World, noun: string): Expression | undefined {
  const days = world.amounts.find(
    ({ isAsked, noun: unit, kind }) => isAsked && isTime(unit) && kind === 'count',
  );
  const sum = total(amounts, plural(noun));
  const isDaily = amounts.every(({ tags }) => tags.some((tag) => dayParts.has(tag)));
  return isDaily && days && sum && !isTime(noun) ? times(sum, days.expression, plural(noun)) : undefined;
}

/** "How many dogs and cats are there": what is counted, and what is named beside it. */
function allCounted(question: Question, world: World): Amount[] {
  const counted = countedBy(question, world.amounts);
  if (!question.words.includes('and')) return counted;
  const beside = world.amounts.filter(
    (amount) =>
      !amount.isAsked &&
      !counted.includes(amount) &&
      !isMeasure(amount.noun) &&
      question.names.includes(amount.noun),
  );
  return [...counted, ...beside].sort((a, b) => a.position - b.position);
}

/** What one person has, or one day brought. */
export const single: Strategy = (question, world) => {
  const amounts = narrowed(question, countedBy(question, world.amounts));
  const last = amounts.at(-1);
  return last === undefined || question.has(...totalWords)
    ? []
    : candidate(last.expression, question.noun, amounts.length === 1 ? 2 : 0.3);
};
