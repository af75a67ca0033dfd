import { evaluate, number, operation, type Expression } from '../expression.ts';
import { dividedBy, minus, plus, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { conversionFactor, isMeasure, isTime, singular } from './nouns.ts';
import { plural } from './plurals.ts';
import type { Question } from './question.ts';
import { balance, countedBy, narrowed, total } from './selection.ts';
import { candidate, firstMinusRest, type Candidate, type Strategy } from './strategy.ts';
import type { World } from './world.ts';

/** How many groups, days or hours: what there is, divided by what each holds. */
export const groups: Strategy = (question, world) => {
  const { noun } = question;
  if (noun === undefined) return [];
  const fits = (per: string): boolean =>
    per === noun ||
    per.split(' ').at(-1) === noun ||
    (noun === 'duration' && isTime(per)) ||
    conversionFactor(per, noun) !== undefined ||
    conversionFactor(noun, per) !== undefined;
  const rates = [
    ...world.rates,
    ...world.amounts.filter((amount) => amount.per === undefined && amount.softPer !== undefined),
  ].filter((rate) => fits(rate.per ?? rate.softPer ?? ''));
  const counted = rates.slice(0, 3).flatMap((rate) => {
    const alike = rates.filter((other) => other.noun === rate.noun);
    const speed = netRate(alike);
    const whole = wholeFor(rate, world);
    if (speed === undefined || whole === undefined) return [];
    const per = rate.per ?? rate.softPer ?? '';
    const number = dividedBy(whole, speed, plural(per));
    return candidate(convertTime(number, per, noun), noun === 'duration' ? per : noun, 3);
  });
  return [...counted, ...loads(question, world)];
};

/** "An elevator can hold 12 people. How many trips for 84 people?": what is asked about, by what is stated. */
function loads(question: Question, world: World): Candidate[] {
  const known = [...world.amounts, ...world.rates];
  if (known.some(({ noun, isAsked }) => !isAsked && noun === question.noun)) return [];
  return known.flatMap((asked) => {
    const load = known.find((amount) => !amount.isAsked && amount.noun === asked.noun && amount !== asked);
    if (
      load === undefined ||
      (!asked.isAsked && asked.role !== 'goal') ||
      evaluate(asked.expression) <= evaluate(load.expression)
    )
      return [];
    return candidate(
      dividedBy(asked.expression, load.expression, plural(question.noun ?? '')),
      question.noun,
      1,
    );
  });
}

/** What several rates for the same thing come to: earned less spent, one pump and another. */
function netRate(rates: readonly Amount[]): Expression | undefined {
  return balance(rates) ?? total(rates);
}

/** What is to be divided into groups: all that is left of it, or the goal less what there is already. */
function wholeFor(rate: Amount, world: World): Expression | undefined {
  const usable = dividends(rate, world);
  const goals = usable.filter(({ role, isAsked }) => role === 'goal' || isAsked || role === 'cost');
  const have = balance(usable.filter((amount) => !goals.includes(amount)));
  const goal = total(goals);
  if (goal === undefined) return balance(usable) ?? total(usable);
  if (have === undefined) return goal;
  return evaluate(have) >= evaluate(goal) ? balance(usable) : minus(goal, have, plural(rate.noun));
}

function dividends(rate: Amount, world: World): Amount[] {
  const others = world.amounts.filter(
    (amount) => amount !== rate && amount.kind !== 'percent' && amount.kind !== 'fraction',
  );
  const same = others.filter(
    (amount) => amount.noun === rate.noun || amount.content === rate.noun || amount.noun === rate.content,
  );
  if (same.length > 0) return same;
  if (!isMeasure(rate.noun)) return others.filter(({ noun }) => !isMeasure(noun));
  return others.flatMap((amount) => {
    const isOtherUnit =
      conversionFactor(amount.noun, rate.noun) !== undefined ||
      conversionFactor(rate.noun, amount.noun) !== undefined;
    return isOtherUnit
      ? [{ ...amount, noun: rate.noun, expression: convertTime(amount.expression, amount.noun, rate.noun) }]
      : [];
  });
}

export function convertTime(expression: Expression, from: string, to: string): Expression {
  const factor = conversionFactor(from, to);
  if (factor !== undefined) return times(expression, number(factor), plural(to));
  const inverse = conversionFactor(to, from);
  return inverse === undefined ? expression : dividedBy(expression, number(inverse), plural(to));
}

/** What one gets when all is split equally. */
export const share: Strategy = (question, world) => {
  const divides =
    isTold(world, /^(?:equally|evenly|equal)$/) ||
    [...world.amounts, ...world.factors].some(({ clause }) => clause.verbClass === 'divide');
  const asksEach =
    !givesRate(question) && question.has('each', 'per', 'every', 'apiece', 'one', 'average', 'single');
  if (!divides && !asksEach) return [];
  const whole = narrowed(question, countedBy(question, world.amounts));
  const hasRest = isTold(world, /^(?:rest|remaining|remainder|balance)$/);
  const dividend = balance(whole) ?? (hasRest ? firstMinusRest(whole, question.noun) : total(whole));
  const divisor = divisorFor(question, world, whole);
  if (dividend === undefined || divisor === undefined) return [];
  const weight = divides && asksEach ? 4 : divides ? 2.5 : question.has('one', 'single') ? 0.4 : 3;
  return candidate(dividedBy(dividend, divisor, plural(question.noun ?? '')), question.noun, weight);
};

/** Whether a clause with a number has such a word. */
function isTold(world: World, word: RegExp): boolean {
  return [...world.amounts, ...world.factors].some(({ clause }) =>
    clause.tokens.some(({ text }) => word.test(text)),
  );
}

/** Whether the question states a rate of its own: "working 6 hours per day". */
function givesRate({ clause }: Question): boolean {
  return clause.tokens.some(
    (token, at) =>
      token.number !== undefined &&
      clause.tokens.slice(at + 1, at + 4).some(({ text }) => /^(?:per|each|every|a)$/.test(text)),
  );
}

/** Among whom or what it is divided: what the question names after "each", else what was counted last. */
function divisorFor(question: Question, world: World, whole: readonly Amount[]): Expression | undefined {
  const each = question.words.findIndex((word) => /^(?:each|per|every|one|a|single)$/.test(word));
  const names = [...question.names, singular(question.words[each + 1] ?? '')];
  const isDivisor = (amount: Amount): boolean =>
    !whole.includes(amount) &&
    ['count', 'money', 'times'].includes(amount.kind) &&
    amount.noun !== question.noun;
  const named = [...world.amounts, ...world.factors].filter(
    (amount) => isDivisor(amount) && !amount.isImplicit && names.includes(amount.noun),
  );
  if (named.length > 0) return total(named);
  const last = world.amounts.findLast((amount) => isDivisor(amount) && amount.noun !== 'dollar');
  return last && (sharesWithSelf(last) ? plus(last.expression, number(1)) : last.expression);
}

/** "among 5 friends and himself". */
function sharesWithSelf({ clause }: Amount): boolean {
  const words = clause.tokens.map(({ text }) => text);
  return (
    words.some((word) => /^(?:him|her|my|them)sel(?:f|ves)$/.test(word)) &&
    !words.some((word) => /^(?:keeps?|kept)$/.test(word))
  );
}

/** The mean of several values. */
export const average: Strategy = (question, world) => {
  const stated = world.amounts.filter(({ isAsked }) => !isAsked);
  if (!question.has('average', 'mean')) return sumOfAverage(question, world, stated);
  const counted = countedBy(question, stated);
  const all = counted.length > 1 ? counted : stated;
  if (all.length === 2 && isTime(all[0]?.noun ?? '') !== isTime(all[1]?.noun ?? '')) return [];
  // "her three tests" counts the values; it is none of them.
  const isHeader = (amount: Amount): boolean =>
    evaluate(amount.expression) === all.length - 1 ||
    (evaluate(amount.expression) === all.length && amount.noun !== all.at(-1)?.noun);
  const header = [all[0], all.at(-1)].find((amount) => amount !== undefined && isHeader(amount));
  const values = all.filter((amount) => amount !== header);
  const elsewhere = [...stated, ...world.factors].find(
    (amount) => evaluate(amount.expression) === values.length && !values.includes(amount),
  );
  const sumOf = total(values);
  if (sumOf === undefined || values.length < 2) return [];
  const count = elsewhere?.expression ?? number(values.length);
  return candidate(operation('/', sumOf, count, plural(question.noun ?? '')), question.noun, 4);
};

/** "The average of 4 numbers is 15. What is their sum?" */
function sumOfAverage(question: Question, { story }: World, stated: readonly Amount[]): Candidate[] {
  const [count, mean] = stated;
  const asks = question.has('sum', 'total', 'altogether', 'in all') && /\baverage\b/.test(story);
  return asks && count && mean && stated.length === 2
    ? candidate(times(count.expression, mean.expression), undefined, 4)
    : [];
}

/** "6 dresses in 2 days": as much for another time, or the time for another amount. */
export const proportion: Strategy = (question, world) => {
  const explicit = world.amounts.filter(({ isAsked, kind }) => isAsked && kind !== 'percent');
  const asked = explicit.length > 0 ? explicit : world.implicit;
  const stated = world.amounts.filter(
    ({ isAsked, kind }) => !isAsked && kind !== 'percent' && kind !== 'fraction',
  );
  return asked.flatMap((wanted) => {
    const base = stated.find((amount) => unitRatio(amount.noun, wanted.noun) !== undefined);
    const other = stated.find(
      (amount) => amount.clause === base?.clause && amount !== base && amount.noun !== base.noun,
    );
    const ratio = base && unitRatio(base.noun, wanted.noun);
    if (base === undefined || other === undefined || ratio === undefined) return [];
    const from = base.expression;
    const to = times(wanted.expression, number(ratio), plural(base.noun));
    const one = dividedBy(other.expression, from, plural(other.noun));
    const groupCount = dividedBy(to, from);
    const value = Number.isInteger(evaluate(one))
      ? times(one, to, plural(other.noun))
      : Number.isInteger(evaluate(groupCount))
        ? times(other.expression, groupCount, plural(other.noun))
        : dividedBy(times(other.expression, to), from, plural(other.noun));
    return candidate(convertTime(value, other.noun, question.noun ?? other.noun), question.noun, 2.5);
  });
};

/** How many of the first unit one of the second is: 60 for minutes and hours. */
function unitRatio(noun: string, wanted: string): number | undefined {
  if (noun === wanted) return 1;
  const factor = conversionFactor(wanted, noun);
  const inverse = conversionFactor(noun, wanted);
  return factor ?? (inverse === undefined ? undefined : 1 / inverse);
}
