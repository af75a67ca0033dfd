import type { Amount } from './amounts.ts';
import { conversionFactor, isKindOf, isMeasure, isVague, singular, tagWords } from './nouns.ts';

/** How freely counts are looked for: the very noun; related units; other rates; "a week"; whatever stands beside. */
export const levels = ['exact', 'related', 'rates', 'implicit', 'beside'] as const;
type Level = (typeof levels)[number];

/** All that a search for counts may look at. */
export interface CountSearch {
  /** Every amount of the text as it was read. */
  readonly read: readonly Amount[];
  /** Those of now: products stand in the place of what they were made of. */
  readonly amounts: readonly Amount[];
  readonly factors: ReadonlySet<Amount>;
}

/** The counts that a rate is to be multiplied with: the bags of "5 apples in each bag". */
export function countsFor(rate: Amount, search: CountSearch, level: Level): Amount[] {
  const { read, amounts, factors } = search;
  const per = rate.per ?? rate.softPer ?? '';
  const candidates = amounts.filter(
    (amount) => isCountOf(amount, rate, per) && isFree(amount, rate, factors),
  );
  const targeted = candidates.filter((amount) => amount.position === rate.target);
  if (targeted.length > 0) return [...targeted, ...besideTarget(rate, targeted, candidates, read)];
  const explicit = candidates.filter((amount) => !amount.isImplicit);
  const exact = explicit.filter((amount) => amount.noun === lastWord(per));
  const plain = (list: readonly Amount[]): Amount[] => list.filter((amount) => amount.per === undefined);
  switch (level) {
    case 'exact':
      return nearest(rate, plain(exact), read);
    case 'related':
      return exact.length > 0 ? [] : nearest(rate, plain(explicit), read);
    case 'rates':
      return nearest(rate, exact.length > 0 ? exact : explicit, read).slice(0, 1);
    case 'implicit':
      return explicit.length > 0 ? [] : candidates.slice(-1);
    case 'beside':
      return rate.per === undefined || isMeasure(rate.per) ? [] : onlyCount(rate, search);
  }
}

/** Most counts are used once; prices, times and what the question gives apply again. */
function isFree(amount: Amount, rate: Amount, factors: ReadonlySet<Amount>): boolean {
  if (!factors.has(amount) || amount.isAsked || isMeasure(amount.noun)) return true;
  return rate.noun === 'dollar' || amount.noun === rate.per || amount.sentence !== rate.sentence;
}

/** "39 on Friday and 29 on Saturday for $6 each": the price is for both. */
function besideTarget(
  rate: Amount,
  targeted: readonly Amount[],
  counts: readonly Amount[],
  read: readonly Amount[],
): Amount[] {
  const prices = read.filter((amount) => amount.clause === rate.clause && amount.target !== undefined);
  if (prices.length > 1) return [];
  const isAlike = (count: Amount): boolean =>
    targeted.some(({ clause, noun }) => clause === count.clause && noun === count.noun);
  return counts.filter(
    (count) => !targeted.includes(count) && count.position < rate.position && isAlike(count),
  );
}

/** The one other thing that is counted beside the rate, whatever it is called; else the people of the story. */
function onlyCount(rate: Amount, { read, amounts, factors }: CountSearch): Amount[] {
  const counts = amounts.filter(
    (amount) =>
      read.includes(amount) &&
      !factors.has(amount) &&
      amount !== rate &&
      amount.kind === 'count' &&
      amount.per === undefined &&
      !amount.isImplicit,
  );
  const beside = counts.filter(
    ({ clause, noun }) => clause === rate.clause && !isMeasure(noun) && noun !== rate.noun,
  );
  if (beside.length === 1) return beside;
  // Tickets at $12 and a family of 5: a price for each of the people.
  const people = counts.filter(({ noun }) => isKindOf(noun, 'person'));
  const isForPeople = rate.noun === 'dollar' || isKindOf(rate.per ?? '', 'person');
  return isForPeople && people.length === 1 ? people : [];
}

/** Of several counts those that stand with the rate: in its clause, in its sentence, or asked for. */
function nearest(rate: Amount, counts: readonly Amount[], read: readonly Amount[]): Amount[] {
  const rivals = read.filter(
    (amount) =>
      (amount.noun === rate.noun || amount.clause === rate.clause) &&
      (amount.per ?? amount.softPer) === (rate.per ?? rate.softPer),
  );
  const isAlone = rivals.length <= 1;
  const inClause = counts.filter(({ clause }) => clause === rate.clause);
  const inSentence = isAlone ? [] : counts.filter(({ sentence }) => sentence === rate.sentence);
  const near = inClause.length > 0 ? inClause : inSentence;
  if (near.length > 1 && !isAlone) return nextTo(rate, near, rivals);
  if (near.length > 0) return isAlone ? [...near, ...laterChanges(near, counts)] : near;
  const asked = counts.filter((count) => count.isAsked);
  return asked.length > 0 && isMeasure(rate.per ?? '') ? asked : [...counts];
}

/** Bags that come or go later hold as much as those before. */
function laterChanges(near: readonly Amount[], counts: readonly Amount[]): Amount[] {
  return counts.filter(
    (count) =>
      !near.includes(count) &&
      !count.isAsked &&
      !isMeasure(count.noun) &&
      (count.role === 'loss' || count.isMore) &&
      near.every(({ position }) => position < count.position),
  );
}

/** In "60 miles per hour for 3 hours and 45 for 2" each rate has the count that follows it, or that comes before it. */
function nextTo(rate: Amount, counts: readonly Amount[], rivals: readonly Amount[]): Amount[] {
  const distance = (count: Amount): number => Math.abs(count.position - rate.position);
  const followed =
    Math.min(...rivals.map(({ position }) => position)) < Math.min(...counts.map(({ position }) => position));
  const side = counts.filter((count) => count.position > rate.position === followed);
  const pool = side.length > 0 ? side : counts;
  const best = Math.min(...pool.map(distance));
  return pool.filter((count) => distance(count) === best);
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1);
}

function isCountOf(amount: Amount, rate: Amount, per: string): boolean {
  if (amount === rate || amount.position === rate.position || amount.comparison !== undefined) return false;
  if (!['count', 'money'].includes(amount.kind)) return false;
  if (amount.per !== undefined && (amount.per === rate.noun || amount.noun === rate.noun)) return false;
  if (rate.per === undefined && (isSingle(amount) || (isMeasure(amount.noun) && !isMeasure(per))))
    return false;
  return matchesPer(amount, per, rate) && (!isMeasure(per) || amount.role !== 'part');
}

/** "one flowerpot" counts no flowerpots where others are counted. */
function isSingle({ expression, isImplicit }: Amount): boolean {
  return expression.kind === 'number' && expression.value === 1 && !isImplicit;
}

/** Whether what is counted is what the rate is for: the noun, with a modifier where there are several kinds. */
function matchesPer(amount: Amount, per: string, rate: Amount): boolean {
  const isConvertible =
    (conversionFactor(amount.noun, per) ?? conversionFactor(per, amount.noun)) !== undefined;
  if (per === amount.noun || isConvertible) return true;
  const head = lastWord(per);
  if (isMeasure(per) && !tagWords.has(head)) return false;
  const modifiers = per
    .split(' ')
    .slice(0, -1)
    .filter((word) => !/^(?:a|one|the|full|whole|single|regular)$/.test(word));
  const adjectives = amount.adjectives.map(singular);
  if (amount.noun === head || (!isVague(head) && isKindOf(amount.noun, head))) {
    return (
      modifiers.length === 0 || adjectives.length === 0 || modifiers.some((word) => adjectives.includes(word))
    );
  }
  // Adult tickets for adults; but no pizzas for a pizza shop.
  const isForPeople = [head, ...modifiers].some(
    (word) => isKindOf(singular(word), 'person') || tagWords.has(word),
  );
  if (rate.noun !== 'dollar' || !isForPeople) return false;
  const described = [...adjectives, amount.noun, amount.content ?? ''];
  return adjectives.includes(head) || modifiers.some((word) => described.includes(singular(word)));
}
