import { evaluate, number, operation, type Expression } from '../expression.ts';
import { difference, dividedBy, minus, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { singular } from './nouns.ts';
import { plural } from './plurals.ts';
import { isOpenMeasure, measures, type Question } from './question.ts';
import { balance, countedBy, total } from './selection.ts';
import { candidate, type Strategy } from './strategy.ts';

export const comparison: Strategy = (question, world) => {
  const than = question.words.indexOf('than');
  const compares = question.has(
    'more',
    'fewer',
    'less',
    'older',
    'younger',
    'taller',
    'shorter',
    'longer',
    'farther',
    'further',
    'heavier',
    'lighter',
    'difference',
    'faster',
    'cheaper',
    'bigger',
    'larger',
    'higher',
  );
  if (!compares) return [];
  const amounts = countedBy(question, world.amounts);
  const pool = amounts.length >= 2 ? amounts : world.amounts.filter(({ isAsked }) => !isAsked);
  const groups = groupByNamed(question, pool);
  const unit = plural(question.noun ?? '');
  const [first, second] = groups;
  if (question.has('how many times'))
    return candidate(first && second && ratioOf(first, second), undefined, 4);
  const between = first && second && balanceOf(first, second, unit);
  return candidate(between, question.noun, than >= 0 || question.has('difference') ? 4 : 1.5);
};

function balanceOf(
  first: readonly Amount[],
  second: readonly Amount[],
  unit: string | undefined,
): Expression | undefined {
  const a = balance(first) ?? total(first);
  const b = balance(second) ?? total(second);
  return a && b && difference(a, b, unit);
}

function ratioOf(first: readonly Amount[], second: readonly Amount[]): Expression | undefined {
  const [a, b] = [balance(first) ?? total(first), balance(second) ?? total(second)];
  if (a === undefined || b === undefined) return undefined;
  return evaluate(a) >= evaluate(b) ? dividedBy(a, b) : dividedBy(b, a);
}

/** The two sides of a comparison: by owner, by day, by thing, whichever tells them apart. */
function groupByNamed(question: Question, amounts: readonly Amount[]): Amount[][] {
  const keys: ((amount: Amount) => string | undefined)[] = [
    ({ owner }) => owner,
    ({ tags }) => tags[0],
    ({ adjectives }) => adjectives[0],
    ({ noun }) => noun,
    ({ softPer }) => softPer,
  ];
  for (const key of keys) {
    const named = amounts.filter((amount) =>
      key(amount)
        ?.split(' ')
        .some((word) => question.names.includes(singular(word)) || question.names.includes(word)),
    );
    const groups = groupBy(named, key);
    if (groups.length === 2) return groups;
  }
  for (const key of keys) {
    const groups = groupBy(amounts, key);
    if (groups.length === 2) return groups;
  }
  return amounts.length === 2 ? amounts.map((amount) => [amount]) : [];
}

function groupBy(amounts: readonly Amount[], key: (amount: Amount) => string | undefined): Amount[][] {
  const groups = new Map<string, Amount[]>();
  for (const amount of amounts) {
    const name = key(amount);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), amount]);
  }
  return [...groups.values()];
}

/** What is still missing to a goal: "how many more does she need". */
export const shortfall: Strategy = (question, world) => {
  const asks = question.has(
    'more',
    'additional',
    'another',
    'extra',
    'needed',
    'need',
    'short',
    'left',
    'still',
    'to go',
    'must',
    'remaining',
  );
  if (!asks || question.words.includes('than')) return [];
  const noun = question.noun;
  const same = world.amounts.filter(
    (amount) =>
      noun === undefined || amount.noun === noun || (isOpenMeasure(noun) && measures(noun, amount.noun)),
  );
  const goals = same.filter(
    (amount) =>
      amount.role === 'goal' ||
      (amount.isAsked && !amount.before.includes('in')) ||
      (noun === 'dollar' && amount.role === 'cost'),
  );
  const goal = goals.at(-1);
  const rest = same.filter((amount) => !goals.includes(amount));
  const have = balance(rest) ?? total(rest);
  if (goal === undefined || have === undefined || goals.length === 0) return [];
  const wanted = noun === 'dollar' ? (total(goals) ?? goal.expression) : goal.expression;
  return candidate(
    minus(wanted, have, plural(goal.noun)),
    noun,
    question.has('more', 'additional', 'another', 'extra') ? 3.5 : 1,
  );
};

export const percentage: Strategy = (question, world) => {
  if (!question.has('percent', '%', 'percentage', 'what fraction')) return [];
  const amounts = world.amounts.filter(({ isAsked, kind }) => !isAsked && kind === 'count');
  const whole = [...amounts].sort((a, b) => evaluate(b.expression) - evaluate(a.expression))[0];
  const part = amounts.findLast((amount) => amount !== whole);
  if (whole === undefined || part === undefined) return [];
  return candidate(
    times(operation('/', part.expression, whole.expression), number(100), 'percent'),
    'percent',
    4,
  );
};
