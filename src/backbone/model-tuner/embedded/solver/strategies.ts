import { evaluate, number, operation, type Expression } from '../expression.ts';
import { difference, dividedBy, leaves, minus, plus, sum, times } from './algebra.ts';
import { weekdays, type Amount } from './amounts.ts';
import { conversionFactor, isMeasure, isTime, singular } from './nouns.ts';
import { isOpenMeasure, measures, type Question } from './question.ts';
import { balance, countedBy, narrowed, readings, total } from './selection.ts';
import { isDecrease, isSumOfAll, plural, type World } from './world.ts';

/** An answer, and how sure the words of the question make it. */
export interface Candidate {
  readonly expression: Expression;
  readonly unit: string | undefined;
  readonly weight: number;
}

export type Strategy = (question: Question, world: World) => readonly Candidate[];

function candidate(
  expression: Expression | undefined,
  noun: string | undefined,
  weight: number,
): Candidate[] {
  return expression === undefined
    ? []
    : [{ expression, unit: noun === undefined ? undefined : plural(noun), weight }];
}

const leftWords = [
  'left',
  'remain',
  'remaining',
  'still',
  'now',
  'change',
  'left over',
  'empty',
  'free',
  'missing',
  'available',
  'not',
  'end up with',
  'remains',
  'unsold',
  'uneaten',
  'unread',
  'rest',
  'after',
] as const;
const totalWords = [
  'total',
  'altogether',
  'in all',
  'together',
  'combined',
  'both',
  'sum',
  'overall',
  'all',
  'entire',
  'in total',
  'apart',
] as const;

export const remaining: Strategy = (question, world) => {
  if (question.noun === 'dollar') return [];
  const asks = question.has(...leftWords);
  const counted = readings(question, countedBy(question, world.amounts));
  const balances = counted.flatMap(({ amounts, doubt }) => {
    const lost = amounts.filter(({ role }) => isDecrease(role));
    if (lost.length === 0 || lost.length === amounts.length) return [];
    const weight = asks ? 3 : question.has(...totalWords) ? 0.5 : 2;
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

function firstMinusRest(amounts: readonly Amount[], noun: string | undefined): Expression | undefined {
  const [first, ...rest] = [...amounts].sort((a, b) => evaluate(b.expression) - evaluate(a.expression));
  if (first === undefined || rest.length === 0) return undefined;
  return rest.reduce(
    (left, amount) => minus(left, amount.expression, plural(noun ?? amount.noun)),
    first.expression,
  );
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
    const named = amounts.filter(
      (amount) =>
        key(amount) !== undefined &&
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
  return [...capacities(question, world), ...rates.slice(0, 3).flatMap((rate) => {
    const alike = rates.filter((other) => other.noun === rate.noun);
    const speed = netRate(alike);
    const whole = wholeFor(rate, world);
    if (speed === undefined || whole === undefined) return [];
    const per = rate.per ?? rate.softPer ?? '';
    const counted = dividedBy(whole, speed, plural(per));
    return candidate(convertTime(counted, per, noun), noun === 'duration' ? per : noun, 3);
  });
};

/** What several rates for the same thing come to: earned less spent, one pump and another. */
function netRate(rates: readonly Amount[]): Expression | undefined {
  return balance(rates) ?? total(rates);
}

function wholeFor(rate: Amount, world: World): Expression | undefined {
  const same = world.amounts.filter(
    (amount) =>
      amount !== rate &&
      amount.kind !== 'percent' &&
      amount.kind !== 'fraction' &&
      (amount.noun === rate.noun || amount.content === rate.noun || amount.noun === rate.content),
  );
  const usable =
    same.length > 0
      ? same
      : isMeasure(rate.noun)
        ? []
        : world.amounts.filter((amount) => amount !== rate && !isMeasure(amount.noun));
  const goals = usable.filter(({ role, isAsked }) => role === 'goal' || isAsked || role === 'cost');
  const others = usable.filter((amount) => !goals.includes(amount));
  if (goals.length === 0) return balance(usable) ?? total(usable);
  const have = balance(others);
  const goal = total(goals);
  return have === undefined || goal === undefined || evaluate(have) >= evaluate(goal)
    ? have === undefined
      ? goal
      : balance(usable)
    : minus(goal, have, plural(rate.noun));
}

function convertTime(expression: Expression, from: string, to: string): Expression {
  const factor = conversionFactor(from, to);
  if (factor !== undefined) return times(expression, number(factor), plural(to));
  const inverse = conversionFactor(to, from);
  return inverse === undefined ? expression : dividedBy(expression, number(inverse), plural(to));
}

/** "Together they have 48, and Ann has 3 times as many as Ben." */
export const sumAndRatio: Strategy = (question, world) => {
  const relation = world.amounts.find(({ comparison }) => comparison !== undefined);
  const sums = world.amounts.filter((amount) => amount !== relation && ['count', 'money'].includes(amount.kind) && isSumOfAll(amount));
  const whole = [...sums].sort((a, b) => evaluate(b.expression) - evaluate(a.expression))[0];
  if (relation?.comparison === undefined || whole === undefined) return [];
  const { comparison, expression, owner } = relation;
  const unit = plural(whole.noun);
  const isTimes = relation.kind === 'times';
  const rest = isTimes
    ? whole.expression
    : comparison.direction === 'less'
      ? plus(whole.expression, expression, unit)
      : minus(whole.expression, expression, unit);
  const other = dividedBy(rest, isTimes ? plus(expression, number(1)) : number(2), unit);
  const own = isTimes
    ? times(expression, other, unit)
    : comparison.direction === 'less'
      ? minus(other, expression, unit)
      : plus(other, expression, unit);
  const asksOwn = owner?.split(' ').some((word) => question.names.includes(word)) === true;
  return candidate(asksOwn ? own : other, whole.noun, 4);
};

/** What there was before all that is told: "how many did she have at first". */
export const initial: Strategy = (question, world) => {
  if (
    !question.has(
      'at first',
      'originally',
      'start',
      'beginning',
      'initially',
      'before',
      'started',
      'begin',
      'first',
      'original',
    )
  )
    return [];
  const amounts = narrowed(question, countedBy(question, world.amounts));
  const final = amounts.findLast(({ role }) => role === 'stock') ?? amounts.at(-1);
  const changes = amounts.filter((amount) => amount !== final && amount.role !== 'stock');
  if (final === undefined || changes.length === 0) return [];
  const before = changes.reduceRight(
    (now, change) =>
      isDecrease(change.role)
        ? plus(now, change.expression, plural(change.noun))
        : minus(now, change.expression, plural(change.noun)),
    final.expression,
  );
  return candidate(before, question.noun, 4);
};

const ordinals = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

/** "Each day 3 more than the day before": the amount on a later day. */
export const progression: Strategy = (question, world) => {
  const all = [...world.amounts, ...world.rates];
  const step = all.find(
    ({ clause, comparison, position }) =>
      position > 0 &&
      clause.tokens.some(({ text }) => /^(?:each|every)$/.test(text)) &&
      (comparison !== undefined || clause.tokens.some(({ text }) => /^(?:before|previous|more)$/.test(text))),
  );
  const start = all.find(
    (amount) => step !== undefined && amount.position < step.position && amount.comparison === undefined,
  );
  const days = start === undefined ? undefined : daysBetween(start, question);
  if (step === undefined || start === undefined || days === undefined || days < 1) return [];
  const difference = leaves(step.expression).at(-1) ?? step.expression;
  const isLess = step.clause.tokens.some(({ text }) => /^(?:less|fewer)$/.test(text));
  const change = times(number(days), difference, plural(start.noun));
  return candidate(
    isLess
      ? minus(start.expression, change, plural(start.noun))
      : plus(start.expression, change, plural(start.noun)),
    question.noun,
    4,
  );
};

function daysBetween(start: Amount, question: Question): number | undefined {
  for (const names of [weekdays, ordinals]) {
    const to = question.words.map((word) => names.indexOf(word)).find((at) => at >= 0);
    const from =
      start.tags.map((tag) => names.indexOf(tag)).find((at) => at >= 0) ??
      (names === ordinals ? 0 : undefined);
    if (to !== undefined && from !== undefined) return to - from;
  }
  return undefined;
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
  const asksEach = question.has('each', 'per', 'every', 'apiece', 'one', 'average', 'single');
  if (!divides && !asksEach) return [];
  const amounts = countedBy(question, world.amounts);
  const whole = narrowed(question, amounts);
  const wholeValue = balance(whole) ?? total(whole);
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
  if (values.length < 2 || values.some(({ noun }) => isTime(noun)) !== values.every(({ noun }) => isTime(noun))) return [];
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
    const base = stated.find(
      (amount) => amount.noun === wanted.noun || conversionFactor(amount.noun, wanted.noun) !== undefined,
    );
    const other = stated.find(
      (amount) => amount.clause === base?.clause && amount !== base && amount.noun !== base.noun,
    );
    if (base === undefined || other === undefined) return [];
    const factor = conversionFactor(base.noun, wanted.noun);
    const from =
      factor === undefined ? base.expression : times(base.expression, number(factor), plural(wanted.noun));
    const one = dividedBy(other.expression, from, plural(other.noun));
    const value = Number.isInteger(evaluate(one))
      ? times(one, wanted.expression, plural(other.noun))
      : dividedBy(times(other.expression, wanted.expression), from, plural(other.noun));
    return candidate(convertTime(value, other.noun, question.noun ?? other.noun), question.noun, 2.5);
  });
};

export const age: Strategy = (question, world) => {
  const shift = [...world.amounts].find(
    (amount) =>
      amount.noun === 'year' &&
      (amount.after.some((word) => ['ago', 'later', 'from', 'earlier'].includes(word)) ||
        ['in', 'after'].includes(amount.before.at(-1) ?? '')),
  );
  if (shift === undefined || question.noun !== 'year') return [];
  const ages = world.amounts.filter(
    (amount) => amount !== shift && (amount.noun === 'year' || amount.noun === ''),
  );
  const own = narrowed(question, ages);
  const last = (own.length > 0 ? own : ages).at(-1);
  const isPast = shift.after.some((word) => ['ago', 'earlier'].includes(word));
  if (last === undefined) return [];
  const asksSum = question.has('sum', 'total', 'combined', 'together');
  if (asksSum) {
    const people = ages.reduce<Expression | undefined>(
      (all, { expression }) =>
        plus(
          all,
          isPast ? minus(expression, shift.expression, 'years') : plus(expression, shift.expression, 'years'),
          'years',
        ),
      undefined,
    );
    return candidate(people, 'year', 4);
  }
  // A shift that is stated refers to the stated age; the question is about now.
  const isForward = shift.isAsked !== isPast;
  const value = isForward
    ? plus(last.expression, shift.expression, 'years')
    : minus(last.expression, shift.expression, 'years');
  return candidate(value, 'year', 3.5);
};

export const share_percent: Strategy = (question, world) => {
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
