import { evaluate, number, type Expression } from '../expression.ts';
import { dividedBy, leaves, minus, plus, times } from './algebra.ts';
import { weekdays, type Amount } from './amounts.ts';
import { isKindOf } from './nouns.ts';
import { plural } from './plurals.ts';
import type { Question } from './question.ts';
import { isSumOfAll } from './relations.ts';
import { isDecrease } from './roles.ts';
import { countedBy, narrowed } from './selection.ts';
import { candidate, type Strategy } from './strategy.ts';

/** "Together they have 48, and Ann has 3 times as many as Ben." */
export const sumAndRatio: Strategy = (question, world) => {
  const relation = world.amounts.find(({ comparison }) => comparison !== undefined);
  const isWhole = (amount: Amount): boolean =>
    isSumOfAll(amount) ||
    (relation !== undefined && amount.noun !== relation.noun && isKindOf(relation.noun, amount.noun));
  const sums = world.amounts.filter(
    (amount) =>
      amount !== relation &&
      ['count', 'money'].includes(amount.kind) &&
      amount.comparison === undefined &&
      isWhole(amount),
  );
  const whole = largest(sums);
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
  const isKind = relation.noun !== '' && question.noun === relation.noun && question.noun !== whole.noun;
  const asksOther = comparison.words.some((word) => question.words.includes(word));
  const asksOwn = !asksOther && owner?.split(' ').some((word) => question.names.includes(word)) === true;
  return candidate(asksOwn || isKind ? own : other, whole.noun, 4);
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
  if (final !== undefined && /^(?:which|that|this)$/.test(final.clause.tokens[0]?.text ?? ''))
    return candidate(final.expression, question.noun, 5);
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
    ({ clause, position }) =>
      position > 0 &&
      /\b(?:before|previous|each day|every day|each week|every week)\b/.test(
        clause.tokens.map(({ text }) => text).join(' '),
      ),
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

/** "They have 30 dolls altogether. Lily has 18.": what the other has. */
export const complement: Strategy = (question, world) => {
  const amounts = countedBy(question, world.amounts);
  const sums = amounts.filter((amount) => isSumOfAll(amount) && amount.kind === 'count');
  const whole = largest(sums);
  const parts = amounts.filter(
    (amount) => amount !== whole && !isDecrease(amount.role) && !isSumOfAll(amount),
  );
  const isOther =
    question.has('other', 'rest', 'others') ||
    parts.every(({ owner }) => owner !== undefined && !question.names.includes(owner));
  if (
    whole === undefined ||
    parts.length === 0 ||
    !isOther ||
    question.has('together', 'altogether', 'in all')
  )
    return [];
  const rest = parts.reduce(
    (left, part) => minus(left, part.expression, plural(whole.noun)),
    whole.expression,
  );
  return evaluate(rest) > 0 ? candidate(rest, whole.noun, 4) : [];
};

function largest(amounts: readonly Amount[]): Amount | undefined {
  return [...amounts].sort((a, b) => evaluate(b.expression) - evaluate(a.expression))[0];
}
