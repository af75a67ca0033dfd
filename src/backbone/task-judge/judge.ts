import { CodedError } from '../../base/errors.ts';
import type { BaseJudge, WorkflowOutput, WorkflowTask } from '../../workflow/index.ts';

export type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

export interface Outcome {
  readonly reward: number;
  readonly isSuccess: boolean;
}

/**
 * The reward of an episode, by upstream's rules in order: a reward that the workflow returned is taken, 0
 * included, and the judge is not run; otherwise the judge scores. `isSuccess` absent counts as false. A list is
 * refused, and so is what is not a finite number.
 *
 * @param loadJudge gives the judge class; called only when it is needed, rejects with what is wrong with it
 */
export async function settleReward(
  task: WorkflowTask,
  output: WorkflowOutput,
  config: Readonly<Record<string, unknown>>,
  loadJudge: () => Promise<JudgeClass>,
): Promise<Outcome> {
  if (output.reward !== undefined && output.reward !== null) {
    return checked(output.reward, output.isSuccess, 'The workflow');
  }
  const Judge = await loadJudge();
  const verdict: unknown = await new Judge(config).computeReward(task, output);
  if (Array.isArray(verdict) && verdict.length === 2) return checked(verdict[0], verdict[1], 'The judge');
  if (typeof verdict === 'object' && verdict !== null && 'reward' in verdict) {
    return checked(verdict.reward, 'isSuccess' in verdict ? verdict.isSuccess : undefined, 'The judge');
  }
  throw badVerdict(Judge.name, verdict);
}

function checked(reward: unknown, isSuccess: unknown, who: string): Outcome {
  if (typeof reward !== 'number' || !Number.isFinite(reward)) throw badReward(who, reward);
  return { reward, isSuccess: isSuccess === true };
}

function badReward(who: string, reward: unknown): CodedError {
  return new CodedError({
    code: 'task-judge/bad-reward',
    message: `${who} returned the reward ${show(reward)}, which is not a finite number.`,
    hint: Array.isArray(reward)
      ? 'Return one number: AgentJet declares lists of rewards but refuses them.'
      : 'Return a number; leave the reward out of the workflow’s output to have the judge compute it.',
  });
}

function badVerdict(judge: string, verdict: unknown): CodedError {
  return new CodedError({
    code: 'task-judge/bad-verdict',
    message: `computeReward of ${judge} returned ${show(verdict)}.`,
    hint: 'Return {reward, isSuccess} or [reward, isSuccess].',
  });
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? String(value) : json.slice(0, 80);
}
