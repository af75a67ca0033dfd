import { number, type Expression } from '../expression.ts';
import { dividedBy, fractionOf, minus, percentOf, sum, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { isMeasure, singular } from './nouns.ts';
import { plural } from './plurals.ts';

export function resolveFractions(amounts: readonly Amount[]): Amount[] {
  const done: Amount[] = [];
  for (const amount of amounts) {
    const isShare = amount.kind === 'fraction' || amount.kind === 'percent';
    done.push(isShare && amount.comparison === undefined ? resolveFraction(amount, done, amounts) : amount);
  }
  return done;
}

function resolveFraction(amount: Amount, earlier: readonly Amount[], all: readonly Amount[]): Amount {
  const whole = wholeOf(amount, earlier);
  if (whole !== undefined) return whole;
  const base = baseOf(amount, earlier, all);
  if (base === undefined) return amount;
  const unit = plural(base.noun);
  const share =
    amount.kind === 'percent'
      ? percentOf(amount.expression, base.expression, unit)
      : fractionOf(amount.expression, base.expression, unit);
  const isNeutral = ['stock', 'gain', 'goal'].includes(amount.role) && amount.role !== 'goal';
  return {
    ...amount,
    expression: share,
    kind: 'count',
    noun: base.noun,
    adjectives: [...amount.adjectives, ...(amount.noun === '' ? [] : [amount.noun])],
    role: isNeutral
      ? 'part'
      : amount.role === 'fund'
        ? 'part'
        : amount.role === 'loss' && base.noun === 'dollar'
          ? 'cost'
          : amount.role,
  };
}

/** "$24, which was half of his money": the whole, found from its part. */
function wholeOf(amount: Amount, earlier: readonly Amount[]): Amount | undefined {
  const part = earlier.findLast((other) => other.clause.sentence === amount.sentence);
  const isBack =
    /^(?:which|that|this)$/.test(amount.clause.tokens[0]?.text ?? '') && amount.clause.verb === 'be';
  if (!isBack || part === undefined) return undefined;
  const { expression } = amount;
  const unit = plural(part.noun);
  const isQuotient = expression.kind === 'operation' && expression.operator === '/';
  const value =
    amount.kind === 'percent'
      ? dividedBy(times(part.expression, number(100)), expression, unit)
      : isQuotient
        ? dividedBy(times(part.expression, expression.right, unit), expression.left, unit)
        : dividedBy(part.expression, expression, unit);
  return {
    ...amount,
    expression: value,
    kind: 'count',
    noun: part.noun,
    role: part.noun === 'dollar' ? 'fund' : 'stock',
    isPart: false,
  };
}

interface Base {
  readonly expression: Expression;
  readonly noun: string;
}

/** What a fraction is taken of: what is named, else what was last spoken of; what is left of it after earlier losses. */
function baseOf(amount: Amount, earlier: readonly Amount[], all: readonly Amount[]): Base | undefined {
  const isPriceChange = amount.role === 'discount' || amount.role === 'surcharge';
  const plain = earlier.filter(
    (other) => other.kind !== 'percent' && other.kind !== 'fraction' && other.comparison === undefined,
  );
  const named = plain.filter((other) => isNamedIn(other, amount));
  const pool = isPriceChange
    ? plain.filter(({ noun }) => noun === 'dollar')
    : named.length > 0
      ? named
      : plain;
  const noun =
    pool.findLast((other) => !isMeasure(other.noun) || other.noun === 'dollar')?.noun ?? pool.at(-1)?.noun;
  if (noun === undefined) {
    const later = all.find(
      (other) =>
        other.position > amount.position &&
        other.kind !== 'percent' &&
        other.kind !== 'fraction' &&
        (!isPriceChange || other.noun === 'dollar'),
    );
    return later === undefined ? undefined : { expression: later.expression, noun: later.noun };
  }
  const same = pool.filter(
    (other) =>
      other.noun === noun &&
      (other.owner === undefined ||
        amount.owner === undefined ||
        other.owner === amount.owner ||
        !pool.some((candidate) => candidate.noun === noun && candidate.owner === amount.owner)),
  );
  const latest = same.findLast(({ role }) => role === 'part');
  const words = [...amount.after.slice(0, 6)];
  if (words.some((word) => /^(?:these|those)$/.test(word)) && latest !== undefined) return latest;
  const wantsRest = words.some((word) => /^(?:rest|remaining|remainder|left|others)$/.test(word));
  const gains = same.filter(({ role }) =>
    ['stock', 'gain', 'fund', ...(isPriceChange ? ['cost'] : [])].includes(role),
  );
  const losses = same.filter(
    (other) =>
      ['loss', ...(isPriceChange ? [] : ['cost']), ...(wantsRest ? ['part'] : [])].includes(other.role) &&
      other.sentence < amount.sentence + (wantsRest ? 1 : 0),
  );
  const total =
    sum(
      gains.map(({ expression }) => expression),
      plural(noun),
    ) ?? same.at(-1)?.expression;
  if (total === undefined) return undefined;
  if (gains.length === 0 && losses.length > 0) return { expression: total, noun };
  return {
    expression: losses.reduce((left, loss) => minus(left, loss.expression, plural(noun)), total),
    noun,
  };
}

function isNamedIn(other: Amount, amount: Amount): boolean {
  const words = [amount.noun, ...amount.adjectives, ...amount.after.slice(0, 7).map(singular)];
  return words.includes(other.noun) || other.adjectives.some((word) => word !== '' && words.includes(word));
}
