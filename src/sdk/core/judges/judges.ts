import type { WorkflowOutput, WorkflowTask } from '../task.ts';
import { BaseJudge, type Verdict } from '../workflow.ts';
import { outputText, taskText, outputField } from './inputs.ts';
import { pythonStrip } from '../../../base/core/pythonText.ts';
import { distanceTo } from './arithmetic.ts';

/**
 * 1 and a success where the first `\boxed{…}` of `metadata.final_answer` is, character for character, the task's
 * `metadata.answer` behind its last `####`; else 0.
 */
export class MathAnswerAsJudge extends BaseJudge {
  override computeReward(workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): Verdict {
    const answer = boxed(outputText('MathAnswerAsJudge', workflowOutput, 'final_answer'));
    const isSuccess = answer === referenceAnswer(taskText('MathAnswerAsJudge', workflowTask, 'answer'));
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}

/**
 * Has the helper LLM (`ajet.task_judge.alien_llm_model`) compare `metadata.final_answer` with the task's
 * `metadata.answer`: 1 and a success where its reply contains `<Correct>`, else 0.
 */
export class MathAnswerAndLlmAsJudge extends BaseJudge {
  override async computeReward(workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): Promise<Verdict> {
    const given = outputText('MathAnswerAndLlmAsJudge', workflowOutput, 'final_answer');
    const wanted = referenceAnswer(taskText('MathAnswerAndLlmAsJudge', workflowTask, 'answer'));
    const reply = await this.helperLlm.ask([
      {
        role: 'system',
        content:
          'You compare an answer to a mathematics question with the solution. Two that mean the same are equal, however they are written. Reply <Correct> where they are equal and <NotCorrect> where they are not.',
      },
      { role: 'user', content: `Answer:\n${given}\n\nSolution:\n${wanted}` },
    ]);
    const isSuccess = reply.includes('<Correct>');
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}

/** Returns the content of the first `\boxed{…}` up to the first `}`, so nested braces are cut as in upstream. */
export function boxed(text: string): string | undefined {
  return /\\boxed\{([^}]*)\}/.exec(text)?.[1];
}

/** The text behind the last `####`, without blanks at its ends. */
export function referenceAnswer(answer: string): string {
  return pythonStrip(answer.split('####').at(-1) ?? '');
}

/**
 * The score r that the environment service gives the episode's instance: a success from 1 on, the reward then 1 + r/2,
 * else r/2. `{sparse: false}` is sent as upstream sends it: in `messages`, where it was meant for `params`.
 */
export class EnvServiceJudge extends BaseJudge {
  override async computeReward(workflowTask: WorkflowTask): Promise<Verdict> {
    const score = await workflowTask.gymEnv.evaluate({ sparse: false });
    const isSuccess = score >= 1;
    return { reward: (isSuccess ? 1 : 0) + score * 0.5, isSuccess };
  }
}

/** Python reads no integer of more digits. */
const mostDigits = 4300;

/**
 * Scores `metadata.final_answer` by `target` and `nums`. The first `\boxed{…}` must be an expression that uses each
 * number once and has the value of the target. Then the reward is 1, with a success. It is 0.1 for any other box. It is 0
 * without a box, without a target (null) and without numbers. Expressions are Python's, with `+ - * / // **` and
 * parentheses, computed without `eval`.
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

/** Returns true for a value that is false in Python. */
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

/** Returns the integer that Python considers equal: 3.0 is 3, and true is 1. */
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
