import { evaluate, type Expression } from '../expression.ts';
import { minus } from './algebra.ts';
import type { Amount } from './amounts.ts';
import { plural } from './plurals.ts';
import type { Question } from './question.ts';
import type { World } from './world.ts';

/** An answer, and how sure the words of the question make it. */
export interface Candidate {
  readonly expression: Expression;
  readonly unit: string | undefined;
  readonly weight: number;
}

export type Strategy = (question: Question, world: World) => readonly Candidate[];

export function candidate(
  expression: Expression | undefined,
  noun: string | undefined,
  weight: number,
): Candidate[] {
  return expression === undefined
    ? []
    : [{ expression, unit: noun === undefined ? undefined : plural(noun), weight }];
}

export const leftWords = [
  'left',
  'remain',
  'remaining',
  'still',
  'now',
  'change',
  'left over',
  'empty',
  'free',
  'missing',
  'available',
  'not',
  'end up with',
  'remains',
  'unsold',
  'uneaten',
  'unread',
  'rest',
  'after',
] as const;

export const totalWords = [
  'total',
  'altogether',
  'in all',
  'together',
  'combined',
  'both',
  'sum',
  'overall',
  'all',
  'entire',
  'in total',
  'apart',
] as const;

export function firstMinusRest(amounts: readonly Amount[], noun: string | undefined): Expression | undefined {
  const [first, ...rest] = [...amounts].sort((a, b) => evaluate(b.expression) - evaluate(a.expression));
  if (first === undefined || rest.length === 0) return undefined;
  return rest.reduce(
    (left, amount) => minus(left, amount.expression, plural(noun ?? amount.noun)),
    first.expression,
  );
}
