import { CodedError, type Location } from '../../base/errors.ts';
import type { BaseJudge, WorkflowOutput, WorkflowTask } from '../../workflow/index.ts';

export type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

/** What the user's classes are asked for. */
export type UserMethod = 'execute' | 'computeReward';

/** Where the user's code has a method, to be told when it returned what cannot be taken. Never rejects. */
export type PlaceOfMethod = (method: UserMethod) => Promise<Location | undefined>;

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
 * @param placeOf called only when something cannot be taken
 */
export async function settleReward(
  task: WorkflowTask,
  output: WorkflowOutput,
  config: Readonly<Record<string, unknown>>,
  loadJudge: () => Promise<JudgeClass>,
  placeOf: PlaceOfMethod,
): Promise<Outcome> {
  if (output.reward !== undefined && output.reward !== null) {
    return checked(output.reward, output.isSuccess, 'execute', placeOf);
  }
  const Judge = await loadJudge();
  const verdict: unknown = await new Judge(config).computeReward(task, output);
  if (Array.isArray(verdict) && verdict.length === 2) {
    return checked(verdict[0], verdict[1], 'computeReward', placeOf);
  }
  if (typeof verdict === 'object' && verdict !== null && 'reward' in verdict) {
    const isSuccess = 'isSuccess' in verdict ? verdict.isSuccess : undefined;
    return checked(verdict.reward, isSuccess, 'computeReward', placeOf);
  }
  throw badVerdict(Judge.name, verdict, await placeOf('computeReward'));
}

async function checked(
  reward: unknown,
  isSuccess: unknown,
  method: UserMethod,
  placeOf: PlaceOfMethod,
): Promise<Outcome> {
  if (typeof reward !== 'number' || !Number.isFinite(reward)) {
    throw badReward(method, reward, await placeOf(method));
  }
  return { reward, isSuccess: isSuccess === true };
}

const who: Readonly<Record<UserMethod, string>> = { execute: 'The workflow', computeReward: 'The judge' };

function badReward(method: UserMethod, reward: unknown, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-judge/bad-reward',
    location,
    message: `${who[method]} returned the reward ${show(reward)}, which is not a finite number.`,
    hint: Array.isArray(reward)
      ? 'Return one number: AgentJet declares lists of rewards but refuses them.'
      : 'Return a number; leave the reward out of the workflow’s output to have the judge compute it.',
  });
}

function badVerdict(judge: string, verdict: unknown, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-judge/bad-verdict',
    location,
    message: `computeReward of ${judge} returned ${show(verdict)}.`,
    hint: 'Return {reward, isSuccess} or [reward, isSuccess].',
  });
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? String(value) : json.slice(0, 80);
}
