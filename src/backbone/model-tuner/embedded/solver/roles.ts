import type { Mention } from './mentions.ts';
import type { VerbClass } from './verbs.ts';

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

/** What a verb makes of things that are counted, and of money. */
const roles: Readonly<Record<VerbClass, { readonly things: Role; readonly money: Role }>> = {
  have: { things: 'stock', money: 'fund' },
  be: { things: 'stock', money: 'cost' },
  gain: { things: 'gain', money: 'gain' },
  buy: { things: 'gain', money: 'cost' },
  earn: { things: 'gain', money: 'gain' },
  lose: { things: 'loss', money: 'cost' },
  give: { things: 'loss', money: 'cost' },
  sell: { things: 'loss', money: 'gain' },
  pay: { things: 'loss', money: 'cost' },
  take: { things: 'gain', money: 'gain' },
  arrive: { things: 'gain', money: 'gain' },
  depart: { things: 'loss', money: 'gain' },
  divide: { things: 'stock', money: 'gain' },
  cost: { things: 'stock', money: 'cost' },
  need: { things: 'goal', money: 'goal' },
  do: { things: 'gain', money: 'gain' },
};

export function roleOf(mention: Mention, noun: string): Role {
  const { clause, kind } = mention;
  if (kind === 'percent' || noun === 'dollar') {
    const change = priceChange(mention);
    if (change !== undefined) return change;
  }
  if (noun === 'dollar' || noun === 'cent') return roleOfMoney(mention);
  if (mention.isSize || isCarried(mention)) return 'stock';
  const role = roles[clause.verbClass].things;
  if (clause.isPassive && clause.verbClass === 'give' && mention.at > clause.verbAt) return 'gain';
  if (isTakenAway(mention) || (role === 'gain' && isMovedAway(mention))) return 'loss';
  if (mention.isPart && ['stock', 'gain'].includes(role)) return 'part';
  return isPutAside(mention) ? 'part' : role;
}

/** "A train leaves with 120 passengers": they are there, whoever leaves. */
function isCarried({ clause, before }: Mention): boolean {
  return ['depart', 'arrive'].includes(clause.verbClass) && before.at(-1) === 'with';
}

/** "45 were picked": gained by somebody outside the story. */
function isTakenAway({ clause, at }: Mention): boolean {
  const takes = /^(?:pick|take|borrow|collect|harvest|catch|hire|download)$/.test(clause.verb);
  return takes && clause.isPassive && at < clause.verbAt;
}

/** "threw away 5", "took out 3": the particle tells the direction. */
function isMovedAway({ clause, after }: Mention): boolean {
  const moves = /^(?:take|throw|put|swim|walk|run|drive|let|pour)$/.test(clause.verb);
  const near = [clause.tokens[clause.verbAt + 1]?.text ?? '', ...after.slice(0, 4)];
  return moves && near.some((word) => ['away', 'out', 'off'].includes(word));
}

/** "puts 6 aside", "keeps 12 for herself". */
function isPutAside({ clause, after }: Mention): boolean {
  if (after.includes('aside')) return true;
  return clause.verb === 'keep' && after.some((word) => /sel(?:f|ves)$|^for$/.test(word));
}

const discountWords = /^(?:off|discount|coupon|rebate|reduction|discounted|reduced|markdown)$/;
const surchargeWords = /^(?:tip|tax|surcharge|markup|interest|raise|gratuity|vat|up)$/;

function priceChange({ after, before, kind, clause }: Mention): Role | undefined {
  const near = [...before.slice(-5), ...after.slice(0, 5)];
  if (near.some((word) => discountWords.test(word))) return 'discount';
  if (kind !== 'percent') return undefined;
  if (/^(?:decrease|drop|fall|reduce)$/.test(clause.verb)) return 'discount';
  const rises = /^(?:increase|raise|grow|rise)$/.test(clause.verb);
  return rises || near.some((word) => surchargeWords.test(word)) ? 'surcharge' : undefined;
}

function roleOfMoney({ clause, before, after }: Mention): Role {
  const isHanded = /^(?:bill|note)s?$/.test(after[0] ?? '') || before.slice(-2).includes('with');
  const hands = /^(?:pay|give|buy|have|do|lose|gain|depart|arrive)$/.test(clause.verbClass);
  if (isHanded && hands) return 'fund';
  const isPaidTo =
    clause.isPassive && ['pay', 'give'].includes(clause.verbClass) && clause.subject !== undefined;
  return isPaidTo ? 'gain' : roles[clause.verbClass].money;
}

export function isDecrease(role: Role): boolean {
  return ['loss', 'cost', 'discount', 'part'].includes(role);
}
