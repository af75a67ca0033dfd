import type { Expression } from '../expression.ts';
import { dividedBy, fractionOf, minus, percentOf, plus, times } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { isMeasure, singular, tagWords } from './nouns.ts';
import { plural } from './plurals.ts';

export function resolveRelations(amounts: readonly Amount[], final: boolean): Amount[] {
  let current = [...amounts];
  let rounds = amounts.length; // each settles one amount
  while (rounds-- > 0) {
    const at = current.findIndex(
      (amount) => amount.comparison !== undefined && referenceOf(amount, current) !== undefined,
    );
    const amount = current[at];
    if (amount?.comparison === undefined) break;
    const reference = referenceOf(amount, current);
    if (reference === undefined) break;
    if (!final && isUnsettled(reference, current)) return current;
    current = replaceAt(current, at, relate(amount, reference, current));
  }
  return current;
}

/** Whether products still have to be made before the amount can be compared with. */
function isUnsettled(reference: Amount, amounts: readonly Amount[]): boolean {
  return reference.per !== undefined && amounts.some((amount) => amount.noun === reference.per);
}

function replaceAt(amounts: readonly Amount[], at: number, replacement: Amount): Amount[] {
  return amounts.map((amount, index) => (index === at ? replacement : amount));
}

function relate(amount: Amount, reference: Amount, all: readonly Amount[]): Amount {
  const noun =
    amount.kind === 'times' || amount.kind === 'fraction'
      ? amount.noun === ''
        ? reference.noun
        : amount.noun
      : amount.noun;
  const own = ownAmount(amount, reference, all);
  const base = own?.expression ?? reference.expression;
  const expression = own === undefined ? compare(amount, base, noun) : compareBack(amount, base, noun);
  const owner = own === undefined ? amount.owner : (reference.owner ?? amount.comparison?.words[0]);
  return {
    ...amount,
    expression,
    noun: own?.noun ?? nounOfRelation(amount, noun, reference),
    owner,
    kind: reference.kind === 'money' ? 'money' : 'count',
    comparison: undefined,
    per: amount.per ?? reference.per,
    softPer: amount.softPer,
    role:
      amount.noun === 'dollar' || reference.noun === 'dollar'
        ? amount.role === 'discount'
          ? 'cost'
          : reference.role === 'fund' || reference.role === 'gain'
            ? reference.role
            : amount.role
        : amount.role === 'part'
          ? 'stock'
          : amount.role,
  };
}

function nounOfRelation(amount: Amount, noun: string, reference: Amount): string {
  if (isMeasure(reference.noun) && !isMeasure(noun) && amount.kind !== 'count') return reference.noun;
  return noun;
}

/** "Ann has 12 apples, 3 more than Ben": the subject is told already, so the other side is what follows. */
function ownAmount(amount: Amount, reference: Amount, all: readonly Amount[]): Amount | undefined {
  if (reference.position !== Number.MAX_SAFE_INTEGER) return undefined;
  return all.findLast(
    (other) =>
      other !== amount &&
      other.comparison === undefined &&
      other.position < amount.position &&
      other.owner === amount.owner &&
      (other.noun === amount.noun || amount.kind !== 'count'),
  );
}

function compare({ kind, comparison, expression }: Amount, base: Expression, unit: string): Expression {
  if (kind === 'fraction') return fractionOf(expression, base, plural(unit));
  if (kind === 'times') return times(expression, base, plural(unit));
  if (kind === 'percent') {
    const part = percentOf(expression, base, plural(unit));
    return comparison?.direction === 'less'
      ? minus(base, part, plural(unit))
      : comparison?.direction === 'more'
        ? plus(base, part, plural(unit))
        : part;
  }
  return comparison?.direction === 'less'
    ? minus(base, expression, plural(unit))
    : plus(base, expression, plural(unit));
}

function compareBack({ kind, comparison, expression }: Amount, base: Expression, unit: string): Expression {
  if (kind === 'times') return dividedBy(base, expression, plural(unit));
  if (kind === 'fraction') return dividedBy(base, expression, plural(unit));
  return comparison?.direction === 'less'
    ? plus(base, expression, plural(unit))
    : minus(base, expression, plural(unit));
}

/** The amount that a comparison refers to, if it is known already. */
function referenceOf(amount: Amount, amounts: readonly Amount[]): Amount | undefined {
  const words = amount.comparison?.words ?? [];
  const isKnown = (other: Amount): boolean =>
    other !== amount &&
    other.comparison === undefined &&
    !other.isImplicit &&
    other.kind !== 'percent' &&
    other.kind !== 'fraction' &&
    other.kind !== 'times';
  const isSum = (other: Amount): boolean => isSumOfAll(other) && words.length > 0;
  const fits = (other: Amount): boolean =>
    amount.kind !== 'count' && amount.kind !== 'money'
      ? true
      : other.noun === amount.noun || amount.noun === '' || words.includes(other.noun);
  const known = amounts.filter((other) => isKnown(other) && fits(other) && !isSum(other));
  const isNamed = words.some((word) => !/^(?:that|day|before|previous|one|amount|number)$/.test(word));
  if (isNamed) {
    const scored = known
      .map((other) => ({ other, score: affinity(other, words, amount) }))
      .filter(({ score }) => score > 0);
    const best = Math.max(...scored.map(({ score }) => score));
    const named =
      scored.findLast(({ score, other }) => score === best && other.position < amount.position) ??
      scored.find(({ score }) => score === best);
    if (named !== undefined) return named.other;
    const pending = amounts.some(
      (other) => other !== amount && other.comparison !== undefined && affinity(other, words, amount) > 0,
    );
    if (pending) return undefined;
    const subjectKnown = known.findLast(
      (other) =>
        other.owner !== undefined &&
        other.owner === amount.owner &&
        other.position < amount.position &&
        other.sentence >= amount.sentence - 1,
    );
    if (
      subjectKnown !== undefined &&
      !words.some((word) => tagWords.has(word) || known.some((other) => other.owner === word))
    ) {
      return { ...subjectKnown, position: Number.MAX_SAFE_INTEGER, owner: words[0] };
    }
  }
  const similar = known.filter(
    (other) =>
      amount.noun === '' ||
      other.noun === amount.noun ||
      (amount.kind === 'times' && isMeasure(other.noun) === isMeasure(amount.noun)),
  );
  return similar.findLast((other) => other.position < amount.position) ?? (isNamed ? similar[0] : undefined);
}

/** "Together they have 48": what all have, not what one has. */
export function isSumOfAll({ clause, owner }: Amount): boolean {
  const says = clause.tokens.some(({ text }) =>
    /^(?:together|total|altogether|combined|sum|both)$/.test(text),
  );
  if (clause.subject?.head === 'sum' || clause.subject?.head === 'total') return true;
  return says && (owner === undefined || clause.subject?.others.length !== 0 || clause.subject.isPlural);
}

function affinity(other: Amount, words: readonly string[], amount: Amount): number {
  let score = 0;
  const ownerWords = other.owner?.split(' ') ?? [];
  for (const word of words) {
    if (ownerWords.includes(word)) score += 4;
    if (/^(?:her|him|he|she|his)$/.test(word) && other.owner !== amount.owner && other.owner !== undefined)
      score += 3;
    if (other.tags.includes(word)) score += 4;
    if (singular(other.noun) === word) score += 2;
    if (other.adjectives.includes(word) || other.softPer?.split(' ').includes(word) === true) score += 3;
    if (other.content === word) score += 2;
  }
  if (score > 0 && other.noun === amount.noun) score += 1;
  return score;
}
