import { number, type Expression } from '../expression.ts';
import { dividedBy, minus, plus, sum, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { countsFor, levels, type CountSearch } from './counts.ts';
import { conversionFactor, isMeasure } from './nouns.ts';
import { plural } from './plurals.ts';
import { isDecrease, type Role } from './roles.ts';

interface Paired {
  readonly amounts: readonly Amount[];
  readonly rates: readonly Amount[];
  readonly factors: readonly Amount[];
}

export function pairRates(read: readonly Amount[]): Paired {
  let amounts = [...read];
  const factors = new Set<Amount>();
  let rounds = read.length; // each settles one rate
  while (rounds-- > 0) {
    const found = findPair({ read, amounts, factors });
    if (found === undefined) break;
    const { rate, counts, products } = found;
    amounts = [...amounts.filter((amount) => amount !== rate), ...products].sort(
      (a, b) => a.position - b.position,
    );
    for (const count of counts) factors.add(count);
  }
  amounts = priceGroups(amounts, factors);
  const isFree = (amount: Amount): boolean => !factors.has(amount) && !amount.isImplicit;
  const kept = amounts.filter(isFree);
  return {
    amounts: kept.filter((amount) => amount.per === undefined),
    rates: kept.filter((amount) => amount.per !== undefined),
    factors: [...factors],
  };
}

/** "84 eggs in boxes of 12, each box for $3": the boxes are counted by dividing. */
function priceGroups(amounts: readonly Amount[], factors: Set<Amount>): Amount[] {
  const isOpen = (amount: Amount): boolean =>
    amount.per !== undefined && amount.comparison === undefined && !factors.has(amount);
  const price = amounts.find((amount) => isOpen(amount) && amount.noun === 'dollar');
  const size = amounts.find(
    (amount) => isOpen(amount) && amount.noun !== 'dollar' && amount.per === price?.per,
  );
  const whole = amounts.filter(
    (amount) =>
      amount !== size && amount.noun === size?.noun && amount.per === undefined && !factors.has(amount),
  );
  const [only] = whole;
  if (price?.per === undefined || size === undefined || only === undefined) return [...amounts];
  const rest = whole
    .slice(1)
    .reduce(
      (left, amount) =>
        isDecrease(amount.role)
          ? minus(left, amount.expression, plural(amount.noun))
          : plus(left, amount.expression, plural(amount.noun)),
      only.expression,
    );
  const count = {
    ...only,
    expression: dividedBy(rest, size.expression, plural(price.per)),
    noun: price.per,
    adjectives: [],
    content: size.noun,
  };
  for (const amount of [size, ...whole]) factors.add(amount);
  return [...amounts.filter((amount) => amount !== price), ...multiply(price, [count])];
}

interface Pair {
  readonly rate: Amount;
  readonly counts: readonly Amount[];
  readonly products: readonly Amount[];
}

function findPair(search: CountSearch): Pair | undefined {
  const rates = search.amounts.filter((amount) => isRate(amount, search.factors));
  for (const level of levels) {
    for (const rate of rates) {
      const counts = countsFor(rate, search, level);
      if (counts.length > 0) return { rate, counts, products: multiply(rate, counts) };
    }
  }
  return undefined;
}

/** What counts itself is no rate by chance: "4 levels" of "a parking garage". */
function isRate(amount: Amount, factors: ReadonlySet<Amount>): boolean {
  const isPlain = amount.comparison === undefined && ['count', 'money'].includes(amount.kind);
  return isPlain && (amount.per !== undefined || (amount.softPer !== undefined && !factors.has(amount)));
}

/** The product of a rate with its counts: one for all counts of the same owner and direction, else one each. */
function multiply(rate: Amount, counts: readonly Amount[]): Amount[] {
  const groups = new Map<string, Amount[]>();
  for (const count of counts) {
    const key = `${count.owner ?? ''} ${isDecrease(count.role) ? '-' : '+'} ${count.per ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), count]);
  }
  return [...groups.values()].map((group, index) => productOf(rate, group, index));
}

function productOf(rate: Amount, counts: readonly Amount[], index: number): Amount {
  const per = rate.per ?? rate.softPer ?? '';
  const [first] = counts;
  const unit = plural(rate.noun);
  const total =
    sum(
      counts.map((count) => convert(count, per)),
      first === undefined ? undefined : plural(first.noun),
    ) ?? number(1);
  const last = counts.at(-1) ?? rate;
  const usesCount = !rate.clause.subject?.isName && first?.owner !== undefined && !isMeasure(first.noun);
  return {
    ...rate,
    expression: times(total, rate.expression, unit),
    content: rate.content,
    adjectives: [
      ...rate.adjectives,
      ...(first?.adjectives ?? []),
      ...(isMeasure(first?.noun ?? '') ? [] : [first?.noun ?? '']),
    ],
    owner: usesCount ? first.owner : (rate.owner ?? first?.owner),
    recipient: undefined,
    role: roleOfProduct(rate, first),
    verb:
      rate.clause.verbClass === 'have' || rate.clause.verbClass === 'be'
        ? (first?.verb ?? rate.verb)
        : rate.verb,
    tags: [...new Set([...rate.tags, ...counts.flatMap((count) => count.tags)])],
    per: rate.alsoPer !== undefined && rate.alsoPer !== rate.per ? rate.alsoPer : first?.per,
    alsoPer: undefined,
    softPer: keepsSoftPer(rate) ? rate.softPer : undefined,
    isPart: false,
    position:
      (first?.isImplicit === true ? rate.position : Math.max(rate.position, last.position)) +
      (index + 1) / 100,
    target: undefined,
    isAsked: false,
  };
}

/** "A hen lays 6 eggs a week": the week is used up, the hen is not. */
function keepsSoftPer({ per, softPer, clause }: Amount): boolean {
  const isOne =
    clause.tokens[0]?.text === 'one' || /^(?:a|an|one|each|every)$/.test(clause.subject?.determiner ?? '');
  return per !== undefined && per !== softPer && isOne;
}

export function convert(count: Amount, per: string): Expression {
  if (count.noun === per) return count.expression;
  const factor = conversionFactor(count.noun, per);
  if (factor !== undefined) return times(count.expression, number(factor), plural(per));
  const inverse = conversionFactor(per, count.noun);
  return inverse === undefined ? count.expression : dividedBy(count.expression, number(inverse), plural(per));
}

function roleOfProduct(rate: Amount, count: Amount | undefined): Role {
  if (rate.noun === 'dollar') {
    const isOwnSale = rate.clause.verbClass === 'sell' && rate.owner === count?.owner;
    if (isOwnSale) return 'gain';
    if (count !== undefined && ['buy', 'pay', 'need'].includes(count.clause.verbClass)) return 'cost';
    if (rate.clause.verbClass === 'sell' || (count?.clause.verbClass === 'sell' && !isOwnCost(rate)))
      return 'gain';
    return rate.role;
  }
  const isState = ['have', 'be', 'need'].includes(rate.clause.verbClass);
  return isState && count !== undefined && !isMeasure(count.noun) && count.role !== 'goal'
    ? count.role
    : rate.role;
}

/** "The shirts had cost the store $9": what the seller paid. */
function isOwnCost({ clause }: Amount): boolean {
  return (
    clause.verbClass === 'cost' &&
    clause.tokens.some(
      ({ text }, at) => at > clause.verbAt && ['the', 'him', 'her', 'them', 'it', 'to'].includes(text),
    )
  );
}
