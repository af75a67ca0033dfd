import type { WorkflowOutput, WorkflowTask } from '../task.ts';
import { BaseJudge, type Verdict } from '../workflow.ts';
import { boxed } from './answers.ts';
import { distanceTo } from './arithmetic.ts';
import { outputField, outputText } from './inputs.ts';

/** Python reads no integer of more digits. */
const mostDigits = 4300;

/**
 * Of `metadata.final_answer`, `target` and `nums`: 1 and a success where the first `\boxed{…}` is an expression that uses
 * each of the numbers once and makes the target; 0.1 for any other box; 0 without one, without a target (null) and
 * without numbers. Expressions are Python's, of `+ - * / // **` and parentheses; it computes without `eval`.
 */
export class CountdownAnswerAsJudge extends BaseJudge {
  formatScore = 0.1;
  correctScore = 1;

  override computeReward(_workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): Verdict {
    const answer = outputText('CountdownAnswerAsJudge', workflowOutput, 'final_answer');
    const target = outputField('CountdownAnswerAsJudge', workflowOutput, 'target');
    const numbers = outputField('CountdownAnswerAsJudge', workflowOutput, 'nums');
    const equation = boxed(answer);
    if (target === null || isEmpty(numbers) || equation === undefined) return { reward: 0, isSuccess: false };
    const isRight = usesEach(equation, numbers) && isNear(equation, target);
    const reward = isRight ? this.correctScore : this.formatScore;
    return { reward, isSuccess: reward >= this.correctScore };
  }
}

/** What Python takes for false. */
function isEmpty(numbers: unknown): boolean {
  if (typeof numbers !== 'object' || numbers === null) return !numbers;
  return (Array.isArray(numbers) ? numbers : Object.keys(numbers)).length === 0;
}

function usesEach(equation: string, numbers: unknown): boolean {
  if (!Array.isArray(numbers)) return false;
  const used = equation.match(/\d+/g) ?? [];
  if (used.length !== numbers.length || used.some(({ length }) => length > mostDigits)) return false;
  const given = numbers.map(wholeNumber);
  const sorted = used.map(BigInt).sort(byValue);
  return (
    given.every((one) => one !== undefined) && given.sort(byValue).every((one, at) => one === sorted[at])
  );
}

/** As Python compares with an integer: 3.0 is 3, and true is 1. */
function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

function byValue(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNear(equation: string, target: unknown): boolean {
  const value = typeof target === 'boolean' ? Number(target) : target;
  if (typeof value !== 'number') return false;
  const distance = distanceTo(equation, value);
  return distance !== undefined && distance < 1e-5;
}
