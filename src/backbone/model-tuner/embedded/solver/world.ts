import { number, type Expression } from '../expression.ts';
import { dividedBy, fractionOf, minus, percentOf, plus, sum, times } from './algebra.ts';
import type { Amount, Role } from './amounts.ts';
import { conversionFactor, isKindOf, isMeasure, singular, tagWords } from './nouns.ts';

/** Everything the story tells, worked out as far as it goes without knowing the question. */
export interface World {
  /** "an hour", "a week" of the question. */
  readonly implicit: readonly Amount[];
  /** Amounts that stand on their own, in the order of the story; products have taken the place of their factors. */
  readonly amounts: readonly Amount[];
  /** "5 apples in each bag" for which no number of bags is told. */
  readonly rates: readonly Amount[];
  /** Counts that went into products: the 3 of "3 bags with 5 apples each". */
  readonly factors: readonly Amount[];
}

export function buildWorld(read: readonly Amount[]): World {
  const related = resolveRelations(read, false);
  const paired = pairRates(related);
  const whole = resolveRelations(paired.amounts, true);
  const rates = resolveRelations([...paired.rates, ...whole], true).filter((amount) =>
    paired.rates.some((rate) => rate.position === amount.position),
  );
  const implicit = read.filter(({ isImplicit, isAsked }) => isImplicit && isAsked);
  return { amounts: resolveFractions(whole), rates, factors: paired.factors, implicit };
}

// ---- relations: "twice as many as Ben", "5 more than yesterday"

function resolveRelations(amounts: readonly Amount[], final: boolean): Amount[] {
  let current = [...amounts];
  for (let round = 0; round < amounts.length; round++) {
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

// ---- rates: "5 apples in each bag" with "3 bags"

interface Paired {
  readonly amounts: readonly Amount[];
  readonly rates: readonly Amount[];
  readonly factors: readonly Amount[];
}

function pairRates(read: readonly Amount[]): Paired {
  let amounts = [...read];
  const factors = new Set<Amount>();
  for (let round = 0; round < read.length; round++) {
    const found = findPair(amounts, factors, read);
    if (found === undefined) break;
    const { rate, counts, products } = found;
    amounts = [...amounts.filter((amount) => amount !== rate), ...products].sort(
      (a, b) => a.position - b.position,
    );
    for (const count of counts) factors.add(count);
  }
  const isFree = (amount: Amount): boolean => !factors.has(amount) && !amount.isImplicit;
  const kept = amounts.filter(isFree);
  return {
    amounts: kept.filter((amount) => amount.per === undefined),
    rates: kept.filter((amount) => amount.per !== undefined),
    factors: [...factors],
  };
}

interface Pair {
  readonly rate: Amount;
  readonly counts: readonly Amount[];
  readonly products: readonly Amount[];
}

function findPair(
  amounts: readonly Amount[],
  factors: ReadonlySet<Amount>,
  read: readonly Amount[],
): Pair | undefined {
  const rates = amounts.filter(
    (amount) =>
      (amount.per ?? amount.softPer) !== undefined &&
      (amount.per !== undefined || !factors.has(amount)) &&
      amount.comparison === undefined &&
      amount.kind !== 'percent' &&
      amount.kind !== 'fraction',
  );
  // What is counted by rates itself comes first: hours per day before dollars per hour.
  for (const level of [0, 1, 2, 3, 4] as const) {
    for (const rate of rates) {
      const counts = countsFor(rate, amounts, factors, read, level);
      if (counts.length > 0) return { rate, counts, products: multiply(rate, counts) };
    }
  }
  return undefined;
}

/** How freely counts are looked for: the very noun; then related units; then other rates; then "a week". */
type Level = 0 | 1 | 2 | 3 | 4;

function countsFor(
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
  if (targeted.length > 0) return targeted;
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
  return rate.noun === 'dollar' && people.length === 1 ? people : [];
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
  return rate.noun === 'dollar' && modifiers.some((word) => described.includes(singular(word)));
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
    softPer: rate.per === undefined ? undefined : rate.softPer,
    isPart: false,
    position:
      (first?.isImplicit === true ? rate.position : Math.max(rate.position, last.position)) +
      (index + 1) / 100,
    target: undefined,
    isAsked: false,
  };
}

function convert(count: Amount, per: string): Expression {
  if (count.noun === per) return count.expression;
  const factor = conversionFactor(count.noun, per);
  if (factor !== undefined) return times(count.expression, number(factor), plural(per));
  const inverse = conversionFactor(per, count.noun);
  return inverse === undefined ? count.expression : dividedBy(count.expression, number(inverse), plural(per));
}

function roleOfProduct(rate: Amount, count: Amount | undefined): Role {
  if (rate.noun === 'dollar') {
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

export function isDecrease(role: Role): boolean {
  return ['loss', 'cost', 'discount', 'part'].includes(role);
}

// ---- fractions: "a third of them", "25% off"

function resolveFractions(amounts: readonly Amount[]): Amount[] {
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
  const isBack = /^(?:which|that|this)$/.test(amount.clause.tokens[0]?.text ?? '') && amount.clause.verb === 'be';
  if (!isBack || part === undefined) return undefined;
  const { expression } = amount;
  const unit = plural(part.noun);
  const isQuotient = expression.kind === 'operation' && expression.operator === '/';
  const value = amount.kind === 'percent'
    ? dividedBy(times(part.expression, number(100)), expression, unit)
    : isQuotient
      ? dividedBy(times(part.expression, expression.right, unit), expression.left, unit)
      : dividedBy(part.expression, expression, unit);
  return { ...amount, expression: value, kind: 'count', noun: part.noun, role: part.noun === 'dollar' ? 'fund' : 'stock', isPart: false };
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

const unchanged = new Set([
  'mph',
  'fish',
  'sheep',
  'deer',
  '',
  'pants',
  'scissors',
  'series',
  'money',
  'change',
  'homework',
]);
const irregular: Readonly<Record<string, string>> = {
  child: 'children',
  person: 'people',
  man: 'men',
  woman: 'women',
  foot: 'feet',
  loaf: 'loaves',
  leaf: 'leaves',
  goose: 'geese',
  mouse: 'mice',
  tooth: 'teeth',
  shelf: 'shelves',
  knife: 'knives',
};

/** The plural, for written reasoning; undefined for no noun. */
export function plural(noun: string): string | undefined {
  if (noun === '') return undefined;
  if (unchanged.has(noun)) return noun;
  const known = irregular[noun];
  if (known !== undefined) return known;
  if (noun.startsWith('square ')) return `square ${plural(noun.slice(7)) ?? ''}`;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
