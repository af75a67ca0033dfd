import type { Amount } from './amounts.ts';
import { isMeasure, singular, tagWords } from './nouns.ts';
import { plural } from './plurals.ts';
import type { Question } from './question.ts';
import { isDecrease } from './roles.ts';
import { balance, countedBy, narrowed, readings, total } from './selection.ts';
import { candidate, firstMinusRest, leftWords, totalWords, type Strategy } from './strategy.ts';
import type { World } from './world.ts';

export const remaining: Strategy = (question, world) => {
  if (question.noun === 'dollar') return [];
  const asks = question.has(...leftWords) || asksForRest(question, world);
  const counted = readings(question, markDone(question, countedBy(question, world.amounts)));
  const balances = counted.flatMap(({ amounts, doubt }) => {
    const lost = amounts.filter(({ role }) => isDecrease(role));
    if (lost.length === 0 || lost.length === amounts.length) return [];
    const isNamed = lost.every(
      (part) =>
        part.role === 'part' &&
        part.after.some((word) => question.names.includes(word) && !tagWords.has(word)),
    );
    const weight = isNamed && !asks ? 0.5 : asks ? 3 : question.has(...totalWords) ? 0.5 : 2.1;
    return candidate(balance(amounts), question.noun, weight - doubt);
  });
  if (!asks) return balances;
  const staysAway = question.has(
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
  );
  const grown = (staysAway ? [] : counted).flatMap(({ amounts, doubt }) => {
    const isGrowth =
      amounts.length > 1 &&
      amounts.every(({ role }) => !isDecrease(role)) &&
      amounts.some(({ role, isMore }, at) => isMore || (at > 0 && role === 'gain'));
    return isGrowth ? candidate(total(amounts, plural(question.noun ?? '')), question.noun, 3 - doubt) : [];
  });
  if (grown.length > 0) return [...balances, ...grown];
  const [narrow] = counted;
  const alike = world.amounts.filter(
    ({ isAsked, noun }) => !isAsked && isMeasure(noun) === isMeasure(narrow?.amounts[0]?.noun ?? ''),
  );
  const rest = firstMinusRest(
    narrow !== undefined && narrow.amounts.length > 1 ? narrow.amounts : alike,
    question.noun,
  );
  return [...balances, ...candidate(rest, question.noun, balances.length > 0 ? 0.5 : 2)];
};

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
      ...candidate(total(amounts, plural(noun)), noun, (asks ? 3 : 1) - doubt),
      ...(byVerb ? candidate(total(sameVerb, plural(noun)), noun, 2.5 - doubt) : []),
    ];
  });
};

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
