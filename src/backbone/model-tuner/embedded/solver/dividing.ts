import { evaluate, number, operation, type Expression } from '../expression.ts';
import { dividedBy, minus, plus, sum, times } from './algebra.ts';
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
  const divides = world.amounts
    .concat(world.factors)
    .some(
      ({ clause }) =>
        clause.verbClass === 'divide' ||
        clause.tokens.some(({ text }) => ['equally', 'evenly', 'equal'].includes(text)),
    );
  const asksEach =
    !givesRate(question) && question.has('each', 'per', 'every', 'apiece', 'one', 'average', 'single');
  if (!divides && !asksEach) return [];
  const amounts = countedBy(question, world.amounts);
  const whole = narrowed(question, amounts);
  const hasRest = [...world.amounts, ...world.factors].some(({ clause }) =>
    clause.tokens.some(({ text }) => /^(?:rest|remaining|remainder|balance)$/.test(text)),
  );
  const wholeValue = balance(whole) ?? (hasRest ? firstMinusRest(whole, question.noun) : total(whole));
  const divisor = divisorFor(question, world, whole);
  if (wholeValue === undefined || divisor === undefined) return [];
  const shared = dividedBy(wholeValue, divisor, plural(question.noun ?? ''));
  return candidate(
    shared,
    question.noun,
    asksEach && divides
      ? 4
      : question.has('each', 'per', 'every', 'apiece', 'average')
        ? 3
        : divides
          ? 2.5
          : 0.4,
  );
};

/** Whether the question states a rate of its own: "working 6 hours per day". */
function givesRate({ clause }: Question): boolean {
  return clause.tokens.some(
    (token, at) =>
      token.number !== undefined &&
      clause.tokens.slice(at + 1, at + 4).some(({ text }) => /^(?:per|each|every|a)$/.test(text)),
  );
}

function divisorFor(question: Question, world: World, whole: readonly Amount[]): Expression | undefined {
  const each = question.words.findIndex((word) =>
    ['each', 'per', 'every', 'one', 'a', 'single'].includes(word),
  );
  const named = question.names.concat(singular(question.words[each + 1] ?? ''));
  const pool = [...world.amounts, ...world.factors].filter(
    (amount) =>
      !whole.includes(amount) &&
      amount.kind !== 'percent' &&
      amount.kind !== 'fraction' &&
      !amount.isImplicit,
  );
  const asked = pool.filter((amount) => amount.noun !== question.noun && named.includes(amount.noun));
  if (asked.length > 0)
    return sum(
      asked.map(({ expression }) => expression),
      plural(asked[0]?.noun ?? ''),
    );
  const others = pool.filter(
    (amount) => amount.noun !== question.noun && !world.factors.includes(amount) && amount.noun !== 'dollar',
  );
  const last = others.at(-1);
  const withSelf =
    last?.clause.tokens.some(({ text }) => /^(?:herself|himself|myself)$/.test(text)) === true &&
    last.before.length > 0 &&
    !last.clause.tokens.some(({ text }) => /^keeps?|kept$/.test(text));
  return last === undefined ? undefined : withSelf ? plus(last.expression, number(1)) : last.expression;
}

export const average: Strategy = (question, world) => {
  if (!question.has('average', 'mean')) return [];
  const amounts = countedBy(question, world.amounts).filter(({ isAsked }) => !isAsked);
  const values = amounts.length > 1 ? amounts : world.amounts.filter(({ isAsked }) => !isAsked);
  if (
    values.length < 2 ||
    (values.length === 2 && isTime(values[0]?.noun ?? '') !== isTime(values[1]?.noun ?? ''))
  )
    return [];
  const size = values.length;
  const stated = [...world.amounts, ...world.factors].find(
    (amount) => evaluate(amount.expression) === size && !values.includes(amount),
  );
  const dropped = values.find(
    (amount) => evaluate(amount.expression) === size && amount.noun !== values.at(-1)?.noun,
  );
  const header = [values[0], values.at(-1)].find(
    (amount) => amount !== undefined && evaluate(amount.expression) === size - 1,
  );
  const added = values.filter((amount) => amount !== dropped && amount !== header);
  const sumOf = total(added);
  const count = stated?.expression ?? header?.expression ?? number(added.length);
  return candidate(sumOf && operation('/', sumOf, count, plural(question.noun ?? '')), question.noun, 4);
};

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
