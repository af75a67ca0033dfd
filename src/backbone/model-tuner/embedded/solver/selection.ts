import type { Expression } from '../expression.ts';
import { minus, plus, sum } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { isKindOf, isMeasure, isVague, singular } from './nouns.ts';
import { plural } from './plurals.ts';
import { isOpenMeasure, measures, type Question } from './question.ts';
import { isDecrease } from './roles.ts';

/** The amounts that count what the question asks for. */
export function countedBy(question: Question, amounts: readonly Amount[]): Amount[] {
  const stated = amounts.filter(
    (amount) =>
      !amount.isAsked &&
      amount.kind !== 'percent' &&
      amount.kind !== 'fraction' &&
      amount.kind !== 'times' &&
      amount.comparison === undefined,
  );
  const { noun } = question;
  if (noun === undefined) return dominant(stated);
  const pick = (fits: (amount: Amount) => boolean): Amount[] => stated.filter(fits);
  const exact = pick(
    (amount) => amount.noun === noun || (isOpenMeasure(noun) && measures(noun, amount.noun)),
  );
  const holders = pick((amount) => amount.content === noun && !isMeasure(noun)).map((amount) => amount.noun);
  const content = pick((amount) => holders.includes(amount.noun) && (amount.content ?? noun) === noun);
  const kind = pick(
    (amount) => amount.noun !== noun && isKindOf(amount.noun, noun) && !isMeasure(amount.noun),
  );
  if (isVague(noun) && exact.length === 0 && kind.length > 0) return kind;
  if (exact.length > 0)
    return [...new Set([...exact, ...kind.filter(() => !isMeasure(noun) && !isVague(noun))])].sort(
      (a, b) => a.position - b.position,
    );
  if (content.length > 0) return content;
  if (kind.length > 0) return kind;
  const described = pick((amount) => amount.adjectives.map(singular).includes(noun));
  if (described.length > 0) return described;
  return isMeasure(noun) || isOpenMeasure(noun)
    ? []
    : dominant(stated.filter((amount) => !isMeasure(amount.noun)));
}

function dominant(amounts: readonly Amount[]): Amount[] {
  const noun = amounts.at(-1)?.noun;
  const same = amounts.filter((amount) => amount.noun === noun);
  const others = amounts.filter(
    (amount) => amount.noun !== noun && isMeasure(amount.noun) === isMeasure(noun ?? ''),
  );
  return same.length > 1 || others.length === 0
    ? same
    : [...others, ...same].sort((a, b) => a.position - b.position);
}

/** Narrowed to whom and what the question names: persons, days, colours. */
export function narrowed(question: Question, amounts: readonly Amount[]): Amount[] {
  return byTag(question, byAdjective(question, byOwner(question, amounts)));
}

/** A choice of amounts, and how much less likely it is than the narrowest. */
export interface Reading {
  readonly amounts: readonly Amount[];
  readonly doubt: number;
}

/** The narrow reading, and the wider ones in which the question's words only remind of the story. */
export function readings(question: Question, amounts: readonly Amount[]): Reading[] {
  const owned = byOwner(question, amounts);
  const narrow = byTag(question, byAdjective(question, owned));
  const wide: Reading[] = [
    { amounts: narrow, doubt: 0 },
    { amounts: owned, doubt: 1.5 },
    { amounts, doubt: 2 },
  ];
  return wide.filter(
    ({ amounts: chosen }, at) => at === 0 || chosen.length > (wide[at - 1]?.amounts.length ?? 0),
  );
}

function askedOwner(question: Question, amounts: readonly Amount[]): string | undefined {
  const owners = amounts
    .flatMap(({ owner, recipient }) => [owner, recipient])
    .filter((owner) => owner !== undefined);
  const asked = owners.filter((owner) => question.names.some((name) => owner.split(' ').includes(name)));
  return new Set(asked).size === 1 ? asked[0] : undefined;
}

function byOwner(question: Question, amounts: readonly Amount[]): Amount[] {
  const asked = askedOwner(question, amounts);
  const owners = new Set(amounts.filter(({ role }) => !isDecrease(role)).map(({ owner }) => owner));
  if (asked === undefined || question.has('together', 'both', 'altogether', 'combined', 'in all'))
    return mainOwner(question, amounts);
  return amounts.flatMap((amount) => {
    if (amount.owner === asked) return [amount];
    if (amount.recipient === asked) return [{ ...amount, role: 'gain' as const }];
    if (amount.recipient !== undefined) return [];
    const isForeignLoss = isDecrease(amount.role) && !owners.has(amount.owner);
    return amount.owner === undefined || isForeignLoss || !isPerson(amount.owner, amounts) ? [amount] : [];
  });
}

/** Somebody who has something of the kind, rather than a thing that holds it. */
function isPerson(owner: string, amounts: readonly Amount[]): boolean {
  return amounts.some((amount) => amount.owner === owner && amount.clause.subject !== undefined);
}

/** Without an asked owner, gifts count for the first owner of the story. */
function mainOwner(question: Question, amounts: readonly Amount[]): Amount[] {
  const main = amounts.find(({ owner, role }) => owner !== undefined && !isDecrease(role))?.owner;
  const asksAll = question.has('together', 'both', 'altogether', 'combined', 'in all', 'total');
  return amounts.flatMap((amount) => {
    if (amount.recipient === undefined) return [amount];
    if (amount.recipient === main && amount.owner !== main) return [{ ...amount, role: 'gain' as const }];
    return asksAll && amounts.some(({ owner }) => owner === amount.recipient) ? [] : [amount];
  });
}

function byAdjective(question: Question, amounts: readonly Amount[]): Amount[] {
  const wanted = question.adjectives.map(singular);
  if (wanted.length === 0) return [...amounts];
  const fitting = amounts.filter((amount) =>
    amount.adjectives.map(singular).some((word) => wanted.includes(word)),
  );
  return fitting.length > 0 && fitting.length < amounts.length ? fitting : [...amounts];
}

function byTag(question: Question, amounts: readonly Amount[]): Amount[] {
  if (question.tags.length === 0) return [...amounts];
  const fitting = amounts.filter(({ tags }) => tags.some((tag) => question.tags.includes(tag)));
  if (fitting.length === 0) return [...amounts];
  const stock = amounts.filter((amount) => amount.role === 'stock' && amount.tags.length === 0);
  return fitting.every(({ role }) => isDecrease(role)) ? [...stock, ...fitting] : fitting;
}

/** What there is after all that came and went; undefined when nothing came. */
export function balance(amounts: readonly Amount[]): Expression | undefined {
  const parts = amounts.filter(({ role }) => role !== 'goal');
  const first = parts.find((amount) => !isDecrease(amount.role));
  if (first === undefined) return undefined;
  let total: Expression | undefined = first.expression;
  for (const amount of parts) {
    if (amount === first) continue;
    const unit = plural(amount.noun);
    total = isDecrease(amount.role)
      ? minus(total, amount.expression, unit)
      : plus(total, amount.expression, unit);
  }
  return total;
}

/** All amounts together, whatever became of them. */
export function total(amounts: readonly Amount[], unit?: string): Expression | undefined {
  return sum(
    amounts.map(({ expression }) => expression),
    unit ?? plural(amounts[0]?.noun ?? ''),
  );
}
