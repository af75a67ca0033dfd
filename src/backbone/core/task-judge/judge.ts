import { CodedError, toReport, type Location } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import {
  JudgeInputError,
  type AuxiliaryModels,
  type BaseJudge,
  type JudgeHelper,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../sdk/core/index.ts';
import { runInSpan, type BeginSpan } from '../context-tracker/spans.ts';
import { FunctionJudge } from '../function-form/functionWorkflow.ts';

export type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

export type UserMethod = 'execute' | 'computeReward';

export interface JudgeContext {
  readonly config: Readonly<Record<string, unknown>>;
  /** The reward that counts of two: AgentJet takes the workflow's, AgentScope's tuner (for functions) the judge's. */
  readonly decides: 'workflow' | 'judge';
  /** Called only when the judge is needed. Rejects if it cannot be loaded. */
  loadJudge(): Promise<JudgeClass>;
  /** Returns the location of a method, or of its setting in the config. Never rejects once the judge is loaded. */
  readonly placeOf: (method: UserMethod) => Promise<Location | undefined>;
  readonly helperLlm: JudgeHelper;
  readonly beginSpan?: BeginSpan | undefined;
  /** The topmost frame of an error's stack that lies in the user's code. */
  userFrame(error: unknown): Location | undefined;
  /** Returns all frames of an error's stack that lie in the user's code, as text; undefined if there are not several. */
  userStack?(error: unknown): string | undefined;
  /** Calls a method of the user's; absent: directly. Under a debugger, errors of the method count as uncaught. */
  callUser?<T>(work: () => T | Promise<T>): Promise<T>;
}

/** Calls a method of the user's as the context wants it. */
export function callUser<T>(
  { callUser: call }: Pick<JudgeContext, 'callUser'>,
  work: () => T | Promise<T>,
): T | Promise<T> {
  return call === undefined ? work() : call(work);
}

export interface Outcome {
  readonly reward: number;
  readonly isSuccess: boolean;
  readonly scoredBy: 'workflow' | 'judge';
  /** True if `isSuccess` was returned. */
  readonly successGiven: boolean;
  /** The reward of the workflow, if the judge's counts instead. */
  readonly rewardUnused?: number;
  /** The metrics of the workflow and of the judge. The judge's win. Absent if there are none. */
  readonly metrics?: Readonly<Record<string, number>>;
}

/**
 * Returns the reward of an episode by upstream's rules. A reward of the workflow counts, 0 included, and the judge does
 * not run. Otherwise, or if `decides` is `judge`, the judge scores. A missing `isSuccess` is false.
 *
 * Throws a CodedError for a reward that is not a finite number (lists included), and for every error of the judge.
 */
export async function settleReward(
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: JudgeContext,
  auxiliaryModels: AuxiliaryModels,
): Promise<Outcome> {
  const { reward, isSuccess } = output;
  if (reward === undefined || reward === null) return callJudge(task, output, judging, auxiliaryModels);
  if (judging.decides === 'judge') {
    return { ...(await callJudge(task, output, judging, auxiliaryModels)), rewardUnused: reward };
  }
  const outcome = await checked(reward, isSuccess, 'execute', judging);
  return withMetrics(outcome, await metricsOf(output, judging), {});
}

/** Scores an output with the judge. The reward of the workflow is ignored. */
export async function callJudge(
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: JudgeContext,
  auxiliaryModels: AuxiliaryModels,
): Promise<Outcome> {
  const metrics = await metricsOf(output, judging);
  const Judge = await judging.loadJudge();
  const verdict = await compute(Judge, task, output, judging, auxiliaryModels);
  if (Array.isArray(verdict) && verdict.length === 2) {
    return withMetrics(await checked(verdict[0], verdict[1], 'computeReward', judging), metrics, {});
  }
  if (isRecord(verdict) && 'reward' in verdict) {
    const outcome = await checked(verdict['reward'], verdict['isSuccess'], 'computeReward', judging);
    const own = await checkedMetrics(verdict['metrics'], 'computeReward', judging);
    return withMetrics(outcome, metrics, own);
  }
  throw badVerdict(Judge, verdict, await judging.placeOf('computeReward'));
}

type Metrics = Readonly<Record<string, number>>;

/** Returns the metrics that are numbers. For a function, as in AgentScope's tuner, all of them must be. */
function metricsOf(output: WorkflowOutput, judging: JudgeContext): Promise<Metrics> | Metrics {
  const { logMetrics = {} } = output;
  if ('response' in output) return checkedMetrics(logMetrics, 'execute', judging);
  const numbers = Object.entries(logMetrics).filter((entry): entry is [string, number] => isNumber(entry[1]));
  return Object.fromEntries(numbers);
}

async function checkedMetrics(
  metrics: unknown,
  method: UserMethod,
  { placeOf }: JudgeContext,
): Promise<Metrics> {
  if (metrics === undefined || metrics === null) return {};
  if (isRecord(metrics) && Object.values(metrics).every(isNumber)) return metrics as Metrics;
  throw badMetrics(method, metrics, await placeOf(method));
}

function withMetrics(outcome: Outcome, workflow: Metrics, judge: Metrics): Outcome {
  const metrics = { ...workflow, ...judge };
  return Object.keys(metrics).length > 0 ? { ...outcome, metrics } : outcome;
}

async function compute(
  Judge: JudgeClass,
  task: WorkflowTask,
  output: WorkflowOutput,
  judging: JudgeContext,
  auxiliaryModels: AuxiliaryModels,
): Promise<unknown> {
  try {
    const judge = new Judge(judging.config);
    judge.helperLlm = judging.helperLlm;
    if (judge instanceof FunctionJudge) judge.auxiliaryModels = auxiliaryModels;
    const span = { kind: 'judge', name: Judge.name } as const;
    return await runInSpan(judging.beginSpan, span, () =>
      callUser(judging, () => judge.computeReward(task, output)),
    );
  } catch (error) {
    if (error instanceof CodedError) throw error;
    if (error instanceof JudgeInputError) {
      throw missingInput(
        error,
        await judging.placeOf(error.source === 'output' ? 'execute' : 'computeReward'),
      );
    }
    throw threw(Judge, error, judging.userFrame(error) ?? (await judging.placeOf('computeReward')));
  }
}

async function checked(
  reward: unknown,
  isSuccess: unknown,
  method: UserMethod,
  { placeOf }: JudgeContext,
): Promise<Outcome> {
  if (!isNumber(reward)) {
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
      ? 'Return one number. AgentJet declares lists of rewards but rejects them.'
      : 'Return a number. To let the judge compute the reward, leave it out of the output of the workflow.',
  });
}

function missingInput({ message, hint }: JudgeInputError, location: Location | undefined): CodedError {
  return new CodedError({ code: 'task-judge/missing-input', message, location, hint });
}

/** Keeps the stack of the original error. */
function threw(Judge: JudgeClass, error: unknown, location: Location | undefined): CodedError {
  const { message, stack } = toReport(error, '');
  const coded = new CodedError({
    code: 'task-judge/threw',
    location,
    message: `${callOf(Judge)} threw: ${message}`,
    hint: 'Set a breakpoint there, or use --verbose (launch.json: verbose) to see the whole stack.',
    cause: error,
  });
  if (stack !== undefined) coded.stack = stack;
  return coded;
}

function badVerdict(Judge: JudgeClass, verdict: unknown, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-judge/bad-verdict',
    location,
    message: `${callOf(Judge)} returned ${show(verdict)}.`,
    hint: isOfFunction(Judge)
      ? 'Return an object such as {reward, metrics}.'
      : 'Return {reward, isSuccess} or [reward, isSuccess].',
  });
}

function badMetrics(method: UserMethod, metrics: unknown, location: Location | undefined): CodedError {
  return new CodedError({
    code: 'task-judge/bad-metrics',
    location,
    message: `${who[method]} returned the metrics ${show(metrics)}, which is not an object of finite numbers.`,
    hint: 'Return an object of numbers, or no metrics.',
  });
}

function callOf(Judge: JudgeClass): string {
  return isOfFunction(Judge) ? `The judge ${Judge.name}` : `computeReward of ${Judge.name}`;
}

function isOfFunction(Judge: JudgeClass): boolean {
  return (Judge.prototype as unknown) instanceof FunctionJudge;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? String(value) : json.slice(0, 80);
}
