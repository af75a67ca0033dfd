import type { Amount } from './amounts.ts';
import { resolveFractions } from './fractions.ts';
import { pairRates } from './rates.ts';
import { resolveRelations } from './relations.ts';

/** Everything the story tells, worked out as far as it goes without knowing the question. */
export interface World {
  /** The whole text in lower case, for the words that go with no number. */
  readonly story: string;
  /** "an hour", "a week" of the question. */
  readonly implicit: readonly Amount[];
  /** Amounts that stand on their own, in the order of the story; products have taken the place of their factors. */
  readonly amounts: readonly Amount[];
  /** "5 apples in each bag" for which no number of bags is told. */
  readonly rates: readonly Amount[];
  /** Counts that went into products: the 3 of "3 bags with 5 apples each". */
  readonly factors: readonly Amount[];
}

export function buildWorld(read: readonly Amount[], story: string): World {
  const related = resolveRelations(read, false);
  const paired = pairRates(related);
  const whole = resolveRelations(paired.amounts, true);
  const rates = resolveRelations([...paired.rates, ...whole], true).filter((amount) =>
    paired.rates.some((rate) => rate.position === amount.position),
  );
  const implicit = read.filter(({ isImplicit, isAsked }) => isImplicit && isAsked);
  return { story, amounts: resolveFractions(whole), rates, factors: paired.factors, implicit };
}
