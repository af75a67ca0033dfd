import {
  evaluate,
  isNear,
  number,
  operation,
  operations,
  replaceOperation,
  writeSteps,
  type Expression,
  type Operation,
  type Operator,
  type WrongStep,
} from './expression.ts';
import type { Random } from '../../../base/random.ts';
import type { Solution } from './solver/index.ts';

/** One try at a problem: the right reading, or one with a slip in it. */
export interface Attempt {
  /** What is worked out; differs from the solution's expression when a step was misread. */
  readonly expression: Expression;
  /** A step whose arithmetic goes wrong in the written reasoning; a tool does not make it. */
  readonly wrong: WrongStep | undefined;
  readonly unit: string | undefined;
  readonly slipped: boolean;
}

/** Chance of a slip at temperature 1. It grows with the temperature, and there is none at 0. */
const slipChance = 0.15;
const highestChance = 0.6;

/** @param exact whether a tool will do the arithmetic, so that only misreading can go wrong */
export function attemptSolution(
  solution: Solution,
  options: { readonly temperature: number; readonly random: Random; readonly exact: boolean },
): Attempt {
  const { temperature, random, exact } = options;
  const right = { expression: solution.expression, wrong: undefined, unit: solution.unit, slipped: false };
  if (!random.chance(Math.min(slipChance * temperature, highestChance))) return right;
  if (exact || random.chance(0.5)) {
    const misreading = misread(solution.expression, random);
    if (misreading !== undefined) return { ...right, expression: misreading, slipped: true };
    if (exact) return right;
  }
  return { ...right, wrong: miscalculate(solution.expression, random), slipped: true };
}

const confusions: Readonly<Record<Operator, Operator>> = { '+': '-', '-': '+', '*': '+', '/': '*' };

/** The expression with one operation confused or forgotten, or one number misread; its value is always another. */
function misread(expression: Expression, random: Random): Expression | undefined {
  const rightValue = evaluate(expression);
  const readings = operations(expression)
    .flatMap((target) =>
      variants(target, random).map((variant) => replaceOperation(expression, target, variant)),
    )
    .filter((reading) => Number.isFinite(evaluate(reading)) && evaluate(reading) >= 0)
    .filter((reading) => !isNear(evaluate(reading), rightValue));
  return readings.length === 0 ? undefined : random.pick(readings);
}

function variants(target: Operation, random: Random): Expression[] {
  const confused = operation(confusions[target.operator], target.left, target.right, target.unit);
  const found: Expression[] = [confused];
  // Forgetting a step only shows in a reading that still has one.
  if (target.left.kind === 'operation') found.push(target.left);
  if (target.right.kind === 'operation') found.push(target.right);
  if (target.right.kind === 'number') {
    const near = number(target.right.value + (random.chance(0.5) ? 1 : -1));
    if (near.kind === 'number' && near.value > 0) {
      found.push(operation(target.operator, target.left, near, target.unit));
    }
  }
  return found;
}

function miscalculate(expression: Expression, random: Random): WrongStep {
  const steps = writeSteps(expression);
  const index = random.below(Math.max(steps.length, 1));
  const value = Math.abs(steps[index]?.value ?? 0);
  const sizes = value >= 20 ? [1, 2, 10] : [1, 2];
  const size = random.pick(sizes);
  const sign = value > size && random.chance(0.5) ? -1 : 1;
  return { index, difference: sign * size };
}
