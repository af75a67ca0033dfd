import type { Amount } from './amounts.ts';
import { conversionFactor, isKindOf, isMeasure, singular } from './nouns.ts';

/** How freely counts are looked for: the very noun; then related units; then other rates; then "a week". */
type Level = 0 | 1 | 2 | 3 | 4;

export function countsFor(
  rate: Amount,
  amounts: readonly Amount[],
  factors: ReadonlySet<Amount>,
  read: readonly Amount[],
  level: Level,
): Amount[] {
  const per = rate.per ?? rate.softPer ?? '';
  const isFree = (amount: Amount): boolean =>
    !factors.has(amount) ||
    rate.noun === 'dollar' ||
    amount.isAsked ||
    isMeasure(amount.noun) ||
    amount.sentence !== rate.sentence;
  const candidates = amounts.filter((amount) => isCountOf(amount, rate, per) && isFree(amount));
  const targeted = candidates.filter((amount) => amount.position === rate.target);
  if (targeted.length > 0) return [...targeted, ...besideTarget(rate, targeted, candidates, read)];
  const explicit = candidates.filter((amount) => !amount.isImplicit);
  const exact = explicit.filter((amount) => amount.noun === lastWord(per));
  const plain = (list: readonly Amount[]): Amount[] => list.filter((amount) => amount.per === undefined);
  if (level === 0) return nearest(rate, plain(exact), read);
  if (level === 1) return exact.length > 0 ? [] : nearest(rate, plain(explicit), read);
  if (level === 2) return nearest(rate, exact.length > 0 ? exact : explicit, read).slice(0, 1);
  if (level === 3) return explicit.length > 0 ? [] : candidates.slice(-1);
  return rate.per === undefined || isMeasure(rate.per)
    ? []
    : onlyCount(
        rate,
        amounts.filter((amount) => !factors.has(amount)),
      );
}

/** "39 on Friday and 29 on Saturday for $6 each": the price is for both. */
function besideTarget(
  rate: Amount,
  targeted: readonly Amount[],
  counts: readonly Amount[],
  read: readonly Amount[],
): Amount[] {
  const prices = read.filter((amount) => amount.clause === rate.clause && amount.target !== undefined);
  const isAlike = (count: Amount): boolean =>
    targeted.some(
      (target) => target !== count && target.clause === count.clause && target.noun === count.noun,
    );
  return prices.length > 1
    ? []
    : counts.filter((count) => !targeted.includes(count) && count.position < rate.position && isAlike(count));
}

/** "3 copies of a 48-page report": the one other thing that is counted beside the rate, whatever it is called. */
function onlyCount(rate: Amount, amounts: readonly Amount[]): Amount[] {
  const beside = amounts.filter(
    (amount) =>
      amount.clause === rate.clause &&
      amount !== rate &&
      amount.kind === 'count' &&
      amount.per === undefined &&
      !isMeasure(amount.noun) &&
      !amount.isImplicit &&
      amount.noun !== rate.noun,
  );
  if (beside.length === 1) return beside;
  // Tickets at $12 and a family of 5: a price for each of the people.
  const people = amounts.filter(
    ({ noun, kind, per }) => isKindOf(noun, 'person') && kind === 'count' && per === undefined,
  );
  return (rate.noun === 'dollar' || isKindOf(rate.per ?? '', 'person')) && people.length === 1 ? people : [];
}

/** Of several counts those that stand with the rate: in its clause, in its sentence, or asked for. */
function nearest(rate: Amount, counts: readonly Amount[], read: readonly Amount[]): Amount[] {
  const rivals = read.filter(
    (amount) =>
      (amount.noun === rate.noun || amount.clause === rate.clause) &&
      (amount.per ?? amount.softPer) === (rate.per ?? rate.softPer),
  );
  for (const isNear of [
    (count: Amount): boolean => count.clause === rate.clause,
    (count: Amount): boolean => count.sentence === rate.sentence && rivals.length > 1,
  ]) {
    const near = counts.filter(isNear);
    if (near.length > 0)
      return rivals.length > 1 && near.length > 1
        ? nextTo(rate, near, rivals)
        : [...near, ...(rivals.length > 1 ? [] : laterChanges(near, counts))];
  }
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
  if (['percent', 'fraction', 'times'].includes(amount.kind)) return false;
  if (
    rate.per === undefined &&
    amount.expression.kind === 'number' &&
    amount.expression.value === 1 &&
    !amount.isImplicit
  )
    return false;
  if (amount.per !== undefined && (amount.per === rate.noun || amount.noun === rate.noun)) return false;
  if (rate.per === undefined && isMeasure(amount.noun) && !isMeasure(per)) return false;
  return matchesPer(amount, per, rate) && (!isMeasure(per) || amount.role !== 'part');
}

/** Whether what is counted is what the rate is for: the noun, with a modifier where there are several kinds. */
function matchesPer(amount: Amount, per: string, rate: Amount): boolean {
  if (isMeasure(per))
    return (
      per === amount.noun ||
      conversionFactor(amount.noun, per) !== undefined ||
      conversionFactor(per, amount.noun) !== undefined
    );
  const words = per.split(' ');
  const head = words.at(-1) ?? '';
  const modifiers = words
    .slice(0, -1)
    .filter((word) => !/^(?:a|one|the|full|whole|single|regular)$/.test(word));
  if (
    per === amount.noun ||
    conversionFactor(amount.noun, per) !== undefined ||
    conversionFactor(per, amount.noun) !== undefined
  )
    return true;
  const described = [...amount.adjectives.map(singular), amount.noun, amount.content ?? ''];
  if (amount.noun === head || isKindOf(amount.noun, head)) {
    const own = amount.adjectives.map(singular);
    return modifiers.length === 0 || own.length === 0 || modifiers.some((word) => own.includes(word));
  }
  const isPrice = rate.noun === 'dollar';
  return (
    isPrice &&
    (modifiers.some((word) => described.includes(singular(word))) ||
      amount.adjectives.map(singular).includes(head))
  );
}
