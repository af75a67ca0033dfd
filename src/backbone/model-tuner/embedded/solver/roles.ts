import type { Mention } from './mentions.ts';
import { type VerbClass, verbOf } from './verbs.ts';

/** What an amount is in the story. */
export type Role =
  | 'stock'
  | 'gain'
  | 'loss'
  /** Money that is there to be spent, and money that is spent or asked for. */
  | 'fund'
  | 'cost'
  /** Taken off a price, or put on it. */
  | 'discount'
  | 'surcharge'
  /** What is wanted, not what there is. */
  | 'goal'
  /** A part of a whole that stays where it is: "6 of them are red". */
  | 'part';

export const roles: Readonly<Record<VerbClass, Role>> = {
  have: 'stock',
  be: 'stock',
  gain: 'gain',
  buy: 'gain',
  earn: 'gain',
  lose: 'loss',
  give: 'loss',
  sell: 'loss',
  pay: 'loss',
  take: 'gain',
  arrive: 'gain',
  depart: 'loss',
  divide: 'stock',
  cost: 'stock',
  need: 'goal',
  do: 'gain',
};

export function roleOf(mention: Mention, noun: string): Role {
  const { clause } = mention;
  if (['depart', 'arrive'].includes(clause.verbClass) && mention.before.at(-1) === 'with') return 'stock';
  if (mention.isSize && noun !== 'dollar') return 'stock';
  if (mention.kind === 'percent' || noun === 'dollar') {
    const change = priceChange(mention);
    if (change !== undefined) return change;
  }
  if (noun === 'dollar' || noun === 'cent') return moneyRole(mention);
  if (clause.isPassive && clause.verbClass === 'give' && mention.at > clause.verbAt) return 'gain';
  const role = roles[clause.verbClass];
  if (mention.isPart && ['stock', 'gain'].includes(role)) return 'part';
  if (mention.after.includes('aside')) return 'part';
  if (clause.verb === 'keep' && mention.after.some((word) => /sel(?:f|ves)$|^for$/.test(word))) return 'part';
  if (mention.before.at(-1) !== undefined && isAway(mention) && role === 'gain') return 'loss';
  return role;
}

/** "threw away 5", "took out 3": the particle tells the direction. */
function isAway({ clause, after }: Mention): boolean {
  const words = [clause.tokens[clause.verbAt + 1]?.text ?? '', ...after.slice(0, 4)];
  return (
    words.some((word) => ['away', 'out', 'off'].includes(word)) &&
    ['take', 'throw', 'put', 'swim', 'walk', 'run', 'drive', 'let', 'pour'].includes(clause.verb)
  );
}

function priceChange({ after, before, kind, clause }: Mention): Role | undefined {
  const near = [...before.slice(-5), ...after.slice(0, 5)];
  if (
    near.some((word) =>
      /^(?:off|discount|coupon|rebate|reduction|discounted|reduced|markdown)$/.test(word),
    ) ||
    (clause.verb === 'reduce' && kind === 'percent')
  )
    return 'discount';
  if (
    near.some((word) => /^(?:tip|tax|surcharge|markup|interest|raise|gratuity|vat)$/.test(word)) &&
    kind === 'percent'
  )
    return 'surcharge';
  if (kind === 'percent' && (/^(?:increase|raise|grow|rise)$/.test(clause.verb) || near.includes('up')))
    return 'surcharge';
  if (kind === 'percent' && /^(?:decrease|drop|fall)$/.test(clause.verb)) return 'discount';
  return undefined;
}

function moneyRole({ clause, before, after }: Mention): Role {
  const isNote = /^(?:bill|note)s?$/.test(after[0] ?? '') || before.slice(-2).includes('with');
  if (isNote && ['pay', 'give', 'buy', 'have', 'do', 'lose', 'gain'].includes(clause.verbClass))
    return 'fund';
  switch (clause.verbClass) {
    case 'have':
    case 'earn':
    case 'gain':
    case 'take':
      return clause.verbClass === 'have' ? 'fund' : 'gain';
    case 'sell':
      return 'gain';
    case 'buy':
    case 'pay':
    case 'cost':
    case 'lose':
    case 'give':
      return clause.isPassive &&
        ['pay', 'give'].includes(clause.verbClass) &&
        clause.subject?.head !== undefined
        ? 'gain'
        : 'cost';
    case 'need':
      return 'goal';
    default:
      return verbOf(clause.verb) === 'be' &&
        before.some((word) => /^(?:price|cost|fee|ticket|rent|bill)s?$/.test(word))
        ? 'cost'
        : clause.verb === 'be'
          ? 'cost'
          : 'gain';
  }
}

export function isDecrease(role: Role): boolean {
  return ['loss', 'cost', 'discount', 'part'].includes(role);
}
