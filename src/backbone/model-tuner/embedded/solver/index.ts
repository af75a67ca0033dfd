import { evaluate, type Expression } from '../expression.ts';
import { leaves } from './algebra.ts';
import { readAmounts, unifyMoney, type Amount } from './amounts.ts';
import { readArithmetic } from './arithmetic.ts';
import { readClauses } from './clauses.ts';
import { comparison, percentage, shortfall } from './comparing.ts';
import { altogether, remaining, single } from './counting.ts';
import { average, convertTime, groups, proportion, share } from './dividing.ts';
import { geometry } from './geometry.ts';
import { money } from './money.ts';
import { conversionFactor, isMeasure, isTime } from './nouns.ts';
import { readQuestion, type Question } from './question.ts';
import type { Candidate, Strategy } from './strategy.ts';
import { readText } from './text.ts';
import { age, complement, initial, progression, sumAndRatio } from './unknowns.ts';
import { buildWorld, type World } from './world.ts';

/** A word problem as the solver understood it. */
export interface Solution {
  /** What the question asks for, built from the numbers of the text alone. */
  readonly expression: Expression;
  /** What the result counts, e.g. `apples` or `dollars`, where the text tells. */
  readonly unit: string | undefined;
}

const strategies: readonly Strategy[] = [
  geometry,
  average,
  age,
  percentage,
  sumAndRatio,
  initial,
  progression,
  complement,
  comparison,
  shortfall,
  groups,
  share,
  remaining,
  altogether,
  proportion,
  money,
  single,
];

/** Reads a word problem; undefined when the text is none, or none that the rules understand. */
export function solve(text: string): Solution | undefined {
  const bare = readArithmetic(text);
  if (bare !== undefined) return { expression: bare, unit: undefined };
  const best = candidatesOf(text).reduce<Scored | undefined>(
    (top, next) => (top === undefined || next.score > top.score ? next : top),
    undefined,
  );
  return best && { expression: best.expression, unit: best.unit };
}

const quantityWords =
  /^(?:total|average|mean|sum|difference|costs?|price|area|perimeter|ages?|number|distance|profit|percent|percentage|%|change|weight|value|speed|amount|bill|length|height|score|salary|fraction|temperature)$/;

function asksForNumber({ words }: Question): boolean {
  const asksHow = words.some(
    (word, at) =>
      word === 'how' &&
      /^(?:many|much|far|long|old|tall|high|deep|fast|heavy|wide|big|large)$/.test(words[at + 1] ?? ''),
  );
  return asksHow || words.some((word) => quantityWords.test(word));
}

interface Scored extends Candidate {
  readonly score: number;
}

/** Everything the question may be asking for, each with a score. */
export function candidatesOf(text: string): Scored[] {
  const clauses = readClauses(readText(text));
  const asking = clauses.findLast(({ isQuestion }) => isQuestion);
  if (asking === undefined) return [];
  const question = readQuestion(asking);
  if (!asksForNumber(question)) return [];
  const story = text.toLowerCase();
  const amounts = unifyMoney(readAmounts(clauses));
  if (amounts.filter(({ isImplicit }) => !isImplicit).length < 1) return [];
  return worldsOf(amounts, question, story)
    .flatMap(({ world, doubt }) =>
      strategies
        .flatMap((strategy) => strategy(question, world))
        .map((found) => ({ ...found, weight: found.weight - doubt })),
    )
    .filter(({ expression }) => isSensible(evaluate(expression)) && expression.kind === 'operation')
    .map((candidate) => ({ ...candidate, score: score(candidate, amounts) }));
}

interface PossibleWorld {
  readonly world: World;
  readonly doubt: number;
}

/** The world as told; and, where a rate found nothing to multiply with, one in which it is a plain amount. */
function worldsOf(amounts: readonly Amount[], question: Question, story: string): PossibleWorld[] {
  const world = inUnitOf(question, buildWorld(amounts, story));
  if (world.rates.length === 0) return [{ world, doubt: 0 }];
  const unpaired = new Set(world.rates.map(({ position }) => position));
  const plain = amounts.map((amount) =>
    unpaired.has(amount.position) ? { ...amount, per: undefined, softPer: undefined } : amount,
  );
  return [
    { world, doubt: 0 },
    { world: inUnitOf(question, buildWorld(plain, story)), doubt: 1.5 },
  ];
}

/** Asked for hours, a story that only has minutes is told in hours. */
function inUnitOf({ noun }: Question, world: World): World {
  if (noun === undefined) return world;
  const isTold = world.amounts.some((amount) => amount.noun === noun && !amount.isAsked);
  if (isTold && (isTime(noun) || !isMeasure(noun))) return world;
  const convert = (amount: Amount): Amount => {
    const ratio = conversionFactor(amount.noun, noun) ?? conversionFactor(noun, amount.noun);
    if (amount.isAsked || ratio === undefined) return amount;
    return { ...amount, noun, expression: convertTime(amount.expression, amount.noun, noun) };
  };
  return { ...world, amounts: world.amounts.map(convert) };
}

function isSensible(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

/** A story gives few numbers that nobody needs: an answer that uses them all is more likely right. */
function score({ expression, weight, unit }: Candidate, amounts: readonly Amount[]): number {
  const used = new Set(leaves(expression));
  const given = amounts
    .filter(({ isImplicit }) => !isImplicit)
    .flatMap((amount) => leaves(amount.expression))
    .filter((leaf) => leaf.kind === 'number' && leaf.value !== 1);
  const coverage = given.filter((leaf) => used.has(leaf)).length / Math.max(given.length, 1);
  const value = evaluate(expression);
  const isWhole =
    Number.isInteger(value) ||
    (unit !== undefined && (unit === 'dollars' || isMeasure(unit.replace(/s$/, ''))));
  return weight + 6 * coverage + (isWhole ? 1 : 0);
}
