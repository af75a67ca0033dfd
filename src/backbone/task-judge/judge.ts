import { CodedError, toReport, type Location } from '../../base/errors.ts';
import {
  JudgeInputError,
  type BaseJudge,
  type JudgeHelper,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../workflow/index.ts';

export type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

/** What the user's classes are asked for. */
export type UserMethod = 'execute' | 'computeReward';

/** What scores the episodes of a run. */
export interface Judging {
  /** The effective config, for workflows and judges. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Called only when it is needed; rejects with what is wrong with the judge. */
  loadJudge(): Promise<JudgeClass>;
  /**
   * Where the user's code has a method, or the config names who has it: to be told when it returned what cannot be
   * taken. Never rejects once the judge is loaded.
   */
  readonly placeOf: (method: UserMethod) => Promise<Location | undefined>;
  readonly helperLlm: JudgeHelper;
  /** The topmost frame of an error's stack that lies in the user's code. */
  userFrame(error: unknown): Location | undefined;
}

export interface Outcome {
  readonly reward: number;
  readonly isSuccess: boolean;
  readonly scoredBy: 'workflow' | 'judge';
  /** Whether `isSuccess` was said at all. */
  readonly successGiven: boolean;
}

/**
 * The reward of an episode, by upstream's rules in order: a reward that the workflow returned is taken, 0
 * included, and the judge is not run; otherwise the judge scores. `isSuccess` absent counts as false. A list is
 * refused, and so is what is not a finite number.
 * Whatever the judge throws is a CodedError here: it ends this episode alone.
 */
export async function settleReward(
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: Judging,
): Promise<Outcome> {
  if (output.reward !== undefined && output.reward !== null) {
    return checked(output.reward, output.isSuccess, 'execute', judging);
  }
  return askJudge(task, output, judging);
}

/** What the judge makes of an output, whatever reward that has of its own. */
export async function askJudge(
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: Judging,
): Promise<Outcome> {
  const Judge = await judging.loadJudge();
  const verdict = await compute(Judge, task, output, judging);
  if (Array.isArray(verdict) && verdict.length === 2) {
    return checked(verdict[0], verdict[1], 'computeReward', judging);
  }
  if (typeof verdict === 'object' && verdict !== null && 'reward' in verdict) {
    const isSuccess = 'isSuccess' in verdict ? verdict.isSuccess : undefined;
    return checked(verdict.reward, isSuccess, 'computeReward', judging);
  }
  throw badVerdict(Judge.name, verdict, await judging.placeOf('computeReward'));
}

async function compute(
  Judge: JudgeClass,
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: Judging,
): Promise<unknown> {
  try {
    const judge = new Judge(judging.config);
    judge.helperLlm = judging.helperLlm;
    return await judge.computeReward(task, output);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    if (error instanceof JudgeInputError) {
      throw missingInput(
        error,
        await judging.placeOf(error.source === 'output' ? 'execute' : 'computeReward'),
      );
    }
    throw threw(Judge.name, error, judging.userFrame(error) ?? (await judging.placeOf('computeReward')));
  }
}

async function checked(
  reward: unknown,
  isSuccess: unknown,
  method: UserMethod,
  { placeOf }: Judging,
): Promise<Outcome> {
  if (typeof reward !== 'number' || !Number.isFinite(reward)) {
    throw badReward(method, reward, await placeOf(method));
  }
  return {
    reward,
    isSuccess: isSuccess === true,
    scoredBy: method === 'execute' ? 'workflow' : 'judge',
    successGiven: typeof isSuccess === 'boolean',
  };
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

function missingInput({ message, hint }: JudgeInputError, location: Location | undefined): CodedError {
  return new CodedError({ code: 'task-judge/missing-input', message, location, hint });
}

/** With the stack of what was thrown, which leads to where. */
function threw(judge: string, error: unknown, location: Location | undefined): CodedError {
  const { message, stack } = toReport(error, '');
  const coded = new CodedError(
    {
      code: 'task-judge/threw',
      location,
      message: `computeReward of ${judge} threw: ${message}`,
      hint: 'Set a breakpoint there, or run with --verbose to see the whole stack.',
    },
    { cause: error },
  );
  if (stack !== undefined) coded.stack = stack;
  return coded;
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
