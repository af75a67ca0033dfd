import { number, type Expression } from '../expression.ts';
import { dividedBy, fractionOf, minus, percentOf, plus, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { conversionFactor, isKindOf, isMeasure, singular, tagWords } from './nouns.ts';
import { plural } from './plurals.ts';
import type { Role } from './roles.ts';

/** What a comparison starts from. */
interface Reference {
  readonly amount: Amount;
  /** The amount is the subject's own, and the comparison tells the other side: "Ann has 12, 3 more than Ben". */
  readonly isOwn: boolean;
}

/**
 * Works out "twice as many as Ben" and "5 more than yesterday" wherever the other side is known. Before rates are
 * multiplied out it stops at a comparison with something per piece, of which the product is meant.
 */
export function resolveRelations(amounts: readonly Amount[], isFinal: boolean): Amount[] {
  let current = [...amounts];
  let rounds = amounts.length; // each settles one amount
  while (rounds-- > 0) {
    const next = nextRelation(current);
    if (next === undefined) break;
    if (!isFinal && isUnsettled(next.reference.amount, current)) break;
    const related = relate(next.amount, next.reference);
    current = current.map((amount) => (amount === next.amount ? related : amount));
  }
  return current;
}

function nextRelation(amounts: readonly Amount[]): { amount: Amount; reference: Reference } | undefined {
  for (const amount of amounts) {
    const reference = amount.comparison === undefined ? undefined : referenceOf(amount, amounts);
    if (reference !== undefined) return { amount, reference };
  }
  return undefined;
}

function isUnsettled(reference: Amount, amounts: readonly Amount[]): boolean {
  return reference.per !== undefined && amounts.some((amount) => amount.noun === reference.per);
}

function relate(amount: Amount, { amount: reference, isOwn }: Reference): Amount {
  const isScaled = amount.kind === 'times' || amount.kind === 'fraction';
  const noun = isScaled && amount.noun === '' ? reference.noun : amount.noun;
  const isUnitOfReference = isMeasure(reference.noun) && !isMeasure(noun) && amount.kind !== 'count';
  const base = inUnit(reference, noun);
  const unit = plural(noun);
  return {
    ...amount,
    expression: isOwn ? otherSide(amount, base, unit) : ownSide(amount, base, unit),
    noun: isOwn || isUnitOfReference ? reference.noun : noun,
    owner: isOwn ? amount.comparison?.words[0] : amount.owner,
    kind: reference.kind === 'money' ? 'money' : 'count',
    comparison: undefined,
    per: amount.per ?? reference.per,
    role: roleOfRelation(amount, reference),
  };
}

function roleOfRelation(amount: Amount, reference: Amount): Role {
  if (amount.noun !== 'dollar' && reference.noun !== 'dollar') {
    return amount.role === 'part' ? 'stock' : amount.role;
  }
  if (amount.role === 'discount') return 'cost';
  return ['fund', 'gain'].includes(reference.role) ? reference.role : amount.role;
}

/** "8 inches taller" than 5 feet: taller than 60 inches. */
function inUnit({ noun, expression }: Amount, unit: string): Expression {
  const factor = conversionFactor(noun, unit);
  if (factor !== undefined) return times(expression, number(factor), plural(unit));
  const inverse = conversionFactor(unit, noun);
  return inverse === undefined ? expression : dividedBy(expression, number(inverse), plural(unit));
}

/** What the subject has, from what it is compared with. */
function ownSide(amount: Amount, base: Expression, unit: string | undefined): Expression {
  const { kind, comparison, expression } = amount;
  if (kind === 'fraction') return fractionOf(expression, base, unit);
  if (kind === 'times') return times(expression, base, unit);
  const difference = kind === 'percent' ? percentOf(expression, base, unit) : expression;
  if (comparison?.direction === 'times') return difference;
  return comparison?.direction === 'less' ? minus(base, difference, unit) : plus(base, difference, unit);
}

/** What the other side has, from what the subject has. */
function otherSide(amount: Amount, base: Expression, unit: string | undefined): Expression {
  const { kind, comparison, expression } = amount;
  if (kind === 'times' || kind === 'fraction') return dividedBy(base, expression, unit);
  return comparison?.direction === 'less' ? plus(base, expression, unit) : minus(base, expression, unit);
}

/** Undefined while the other side is not known, or is itself still to be worked out. */
function referenceOf(amount: Amount, amounts: readonly Amount[]): Reference | undefined {
  const words = amount.comparison?.words ?? [];
  const known = amounts.filter((other) => isComparable(other, amount, words));
  const isNamed = words.some((word) => !/^(?:that|day|before|previous|one|amount|number)$/.test(word));
  if (isNamed) {
    const named = bestNamed(known, amount, words);
    if (named !== undefined) return { amount: named, isOwn: false };
    if (amounts.some((other) => other !== amount && other.comparison && affinity(other, words, amount) > 0)) {
      return undefined;
    }
    const own = ownAmount(known, amount, words);
    if (own !== undefined) return { amount: own, isOwn: true };
  }
  const similar = known.filter((other) => isSimilar(other, amount));
  const before = similar.findLast((other) => other.position < amount.position);
  const found = before ?? (isNamed ? similar[0] : undefined);
  return found && { amount: found, isOwn: false };
}

function isComparable(other: Amount, amount: Amount, words: readonly string[]): boolean {
  if (other === amount || other.comparison !== undefined || other.isImplicit) return false;
  if (!['count', 'money'].includes(other.kind) || (words.length > 0 && isSumOfAll(other))) return false;
  const isScaled = !['count', 'money'].includes(amount.kind);
  return (
    isScaled || amount.noun === '' || isSameMeasure(other.noun, amount.noun) || words.includes(other.noun)
  );
}

function isSimilar(other: Amount, amount: Amount): boolean {
  if (amount.noun === '' || isSameMeasure(other.noun, amount.noun)) return true;
  if (isKindOf(amount.noun, other.noun)) return false; // dimes among coins: the whole, not the other side
  return amount.kind === 'times' && isMeasure(other.noun) === isMeasure(amount.noun);
}

function isSameMeasure(noun: string, other: string): boolean {
  return noun === other || (conversionFactor(noun, other) ?? conversionFactor(other, noun)) !== undefined;
}

/** The amount that the words fit best; of several the last before the comparison. */
function bestNamed(known: readonly Amount[], amount: Amount, words: readonly string[]): Amount | undefined {
  const scored = known
    .map((other) => ({ other, score: affinity(other, words, amount) }))
    .filter(({ score }) => score > 0);
  const highest = Math.max(...scored.map(({ score }) => score));
  const best = scored.filter(({ score }) => score === highest).map(({ other }) => other);
  return best.findLast((other) => other.position < amount.position) ?? best[0];
}

/** What the subject of the comparison is said to have, when the words name nobody else who is known. */
function ownAmount(known: readonly Amount[], amount: Amount, words: readonly string[]): Amount | undefined {
  if (words.some((word) => tagWords.has(word) || known.some(({ owner }) => owner === word))) return undefined;
  return known.findLast(
    ({ owner, position, sentence, noun }) =>
      (noun === amount.noun || !isKindOf(amount.noun, noun)) &&
      owner !== undefined &&
      owner === amount.owner &&
      position < amount.position &&
      sentence >= amount.sentence - 1,
  );
}

/** "Together they have 48": what all have, not what one has. */
export function isSumOfAll({ clause, owner }: Amount): boolean {
  const { subject, tokens } = clause;
  if (subject?.head === 'sum' || subject?.head === 'total') return true;
  const says = tokens.some(({ text }) => /^(?:together|total|altogether|combined|sum|both)$/.test(text));
  return says && (owner === undefined || subject?.others.length !== 0 || subject.isPlural);
}

/** How well the words of a comparison name an amount: by its owner, its time, its kind. */
function affinity(other: Amount, words: readonly string[], amount: Amount): number {
  const owner = other.owner?.split(' ') ?? [];
  const isOtherPerson = other.owner !== undefined && other.owner !== amount.owner;
  const kinds = [...other.adjectives, ...(other.softPer?.split(' ') ?? [])];
  const scores = words.map(
    (word) =>
      (owner.includes(word) ? 4 : 0) +
      (isOtherPerson && /^(?:her|him|he|she|his)$/.test(word) ? 3 : 0) +
      (other.tags.includes(word) ? 4 : 0) +
      (singular(other.noun) === word ? 2 : 0) +
      (kinds.includes(word) ? 3 : 0) +
      (other.content === word ? 2 : 0),
  );
  const score = scores.reduce((sum, part) => sum + part, 0);
  return score > 0 && other.noun === amount.noun ? score + 1 : score;
}
