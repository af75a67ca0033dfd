import { evaluate, type Expression } from '../expression.ts';
import { leaves } from './algebra.ts';
import { readAmounts, unifyMoney, type Amount } from './amounts.ts';
import { readClauses } from './clauses.ts';
import { geometry } from './geometry.ts';
import { money } from './money.ts';
import { isMeasure } from './nouns.ts';
import { readQuestion } from './question.ts';
import {
  age,
  altogether,
  average,
  comparison,
  groups,
  proportion,
  remaining,
  share,
  share_percent,
  sumAndRatio,
  initial,
  progression,
  shortfall,
  single,
  type Candidate,
  type Strategy,
} from './strategies.ts';
import { readText } from './text.ts';
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
  share_percent,
  sumAndRatio,
  initial,
  progression,
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
  const best = candidatesOf(text).reduce<Scored | undefined>(
    (top, next) => (top === undefined || next.score > top.score ? next : top),
    undefined,
  );
  return best && { expression: best.expression, unit: best.unit };
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
  const amounts = unifyMoney(readAmounts(clauses));
  if (amounts.filter(({ isImplicit }) => !isImplicit).length < 1) return [];
  return worldsOf(amounts)
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
function worldsOf(amounts: readonly Amount[]): PossibleWorld[] {
  const world = buildWorld(amounts);
  if (world.rates.length === 0) return [{ world, doubt: 0 }];
  const unpaired = new Set(world.rates.map(({ position }) => position));
  const plain = amounts.map((amount) =>
    unpaired.has(amount.position) ? { ...amount, per: undefined, softPer: undefined } : amount,
  );
  return [
    { world, doubt: 0 },
    { world: buildWorld(plain), doubt: 1.5 },
  ];
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
    .filter((leaf) => leaf.kind === 'number');
  const coverage = given.filter((leaf) => used.has(leaf)).length / given.length;
  const value = evaluate(expression);
  const isWhole =
    Number.isInteger(value) ||
    (unit !== undefined && (unit === 'dollars' || isMeasure(unit.replace(/s$/, ''))));
  return weight + 6 * coverage + (isWhole ? 1 : 0);
}
