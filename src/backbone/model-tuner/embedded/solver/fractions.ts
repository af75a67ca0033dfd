import { number, type Expression } from '../expression.ts';
import { dividedBy, fractionOf, minus, percentOf, sum, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { isMeasure, singular } from './nouns.ts';
import { plural } from './plurals.ts';
import { isDecrease, type Role } from './roles.ts';

/** Works out "a third of them" and "25% off", in the order of the story. */
export function resolveFractions(amounts: readonly Amount[]): Amount[] {
  const done: Amount[] = [];
  for (const amount of amounts) {
    const isOpen = isShare(amount) && amount.comparison === undefined;
    done.push(isOpen ? (wholeOf(amount, done) ?? shareOf(amount, done, amounts)) : amount);
  }
  return done;
}

function isShare({ kind }: Amount): boolean {
  return kind === 'fraction' || kind === 'percent';
}

function shareOf(amount: Amount, earlier: readonly Amount[], all: readonly Amount[]): Amount {
  const base = baseOf(amount, earlier, all);
  if (base === undefined) return amount;
  const take = amount.kind === 'percent' ? percentOf : fractionOf;
  return {
    ...amount,
    expression: take(amount.expression, base.expression, plural(base.noun)),
    kind: 'count',
    noun: base.noun,
    adjectives: [...amount.adjectives, ...(amount.noun === '' ? [] : [amount.noun])],
    role: roleOfShare(amount.role, base.noun),
  };
}

function roleOfShare(role: Role, noun: string): Role {
  if (['stock', 'gain', 'fund'].includes(role)) return 'part';
  return role === 'loss' && noun === 'dollar' ? 'cost' : role;
}

/** "$24, which was half of his money": the whole, found from its part. */
function wholeOf(amount: Amount, earlier: readonly Amount[]): Amount | undefined {
  const { clause, sentence, kind, expression } = amount;
  const part = earlier.findLast((other) => other.clause.sentence === sentence);
  const isBack = /^(?:which|that|this)$/.test(clause.tokens[0]?.text ?? '') && clause.verb === 'be';
  if (!isBack || part === undefined) return undefined;
  const unit = plural(part.noun);
  const [top, bottom] =
    kind === 'percent'
      ? [expression, number(100)]
      : expression.kind === 'operation'
        ? [expression.left, expression.right]
        : [expression, number(1)];
  return {
    ...amount,
    expression: dividedBy(times(part.expression, bottom, unit), top, unit),
    kind: 'count',
    noun: part.noun,
    role: part.noun === 'dollar' ? 'fund' : 'stock',
    isPart: false,
  };
}

type Base = Pick<Amount, 'expression' | 'noun'>;

/** What a fraction is taken of: what is named, else what was last spoken of; what is left of it after losses. */
function baseOf(amount: Amount, earlier: readonly Amount[], all: readonly Amount[]): Base | undefined {
  const isPriceChange = amount.role === 'discount' || amount.role === 'surcharge';
  const known = earlier.filter((other) => !isShare(other) && other.comparison === undefined);
  const named = known.filter((other) => isNamedIn(other, amount));
  const spoken = named.length > 0 ? named : known;
  const pool = isPriceChange ? known.filter(({ noun }) => noun === 'dollar') : spoken;
  const counted = pool.findLast(({ noun }) => !isMeasure(noun) || noun === 'dollar') ?? pool.at(-1);
  if (counted === undefined) {
    const isLater = (other: Amount): boolean => other.position > amount.position && !isShare(other);
    return all.find((other) => isLater(other) && (!isPriceChange || other.noun === 'dollar'));
  }
  const same = ofSameOwner(
    pool.filter(({ noun }) => noun === counted.noun),
    amount.owner,
  );
  if (amount.after.slice(0, 6).some((word) => /^(?:these|those)$/.test(word))) {
    const part = same.findLast(({ role }) => role === 'part');
    if (part !== undefined) return part;
  }
  return {
    expression: isPriceChange ? price(same, counted) : whatIsLeft(same, counted, amount),
    noun: counted.noun,
  };
}

/** Those of one owner and of nobody; all of them where the owner has none. */
function ofSameOwner(amounts: readonly Amount[], owner: string | undefined): Amount[] {
  const isKnown = amounts.some((amount) => amount.owner === owner);
  if (owner === undefined || !isKnown) return [...amounts];
  return amounts.filter((amount) => amount.owner === undefined || amount.owner === owner);
}

function price(amounts: readonly Amount[], last: Amount): Expression {
  const asked = amounts.filter(({ role }) => ['stock', 'gain', 'fund', 'cost'].includes(role));
  return (
    sum(
      asked.map(({ expression }) => expression),
      'dollars',
    ) ?? last.expression
  );
}

/** What there was before the sentence; parts only count as gone when "the rest" is spoken of. */
function whatIsLeft(amounts: readonly Amount[], last: Amount, share: Amount): Expression {
  const unit = plural(last.noun);
  const wantsRest = share.after
    .slice(0, 6)
    .some((word) => /^(?:rest|remaining|remainder|left|others)$/.test(word));
  const stock = amounts.filter(({ role }) => ['stock', 'gain', 'fund'].includes(role));
  const total = sum(
    stock.map(({ expression }) => expression),
    unit,
  );
  if (total === undefined) return last.expression;
  return amounts
    .filter(
      ({ role, sentence }) =>
        isDecrease(role) && (wantsRest || (role !== 'part' && sentence < share.sentence)),
    )
    .reduce((left, { expression }) => minus(left, expression, unit), total);
}

function isNamedIn(other: Amount, amount: Amount): boolean {
  const words = [amount.noun, ...amount.adjectives, ...amount.after.slice(0, 7).map(singular)];
  return words.includes(other.noun) || other.adjectives.some((word) => word !== '' && words.includes(word));
}
