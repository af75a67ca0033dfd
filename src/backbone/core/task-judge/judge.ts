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
import { FunctionJudge } from '../function-form/functionJudge.ts';

export type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

/** What the user's classes are asked for. */
export type UserMethod = 'execute' | 'computeReward';

/** What scores the episodes of a run. */
export interface JudgeContext {
  /** The effective config, for workflows and judges. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * Whose reward counts where both give one. AgentJet takes the workflow's, and does not ask the judge then; AgentScope's
   * tuner, whose rules hold for workflows that are functions, takes the judge's.
   */
  readonly decides: 'workflow' | 'judge';
  /** Called only when it is needed; rejects with what is wrong with the judge. */
  loadJudge(): Promise<JudgeClass>;
  /**
   * Where the user's code has a method, or the config names who has it: to be told when it returned what cannot be
   * taken. Never rejects once the judge is loaded.
   */
  readonly placeOf: (method: UserMethod) => Promise<Location | undefined>;
  readonly helperLlm: JudgeHelper;
  /** Of the episode that is judged: takes how long that takes. */
  readonly beginSpan?: BeginSpan | undefined;
  /** The topmost frame of an error's stack that lies in the user's code. */
  userFrame(error: unknown): Location | undefined;
}

export interface Outcome {
  readonly reward: number;
  readonly isSuccess: boolean;
  readonly scoredBy: 'workflow' | 'judge';
  /** Whether `isSuccess` was said at all. */
  readonly successGiven: boolean;
  /** What the workflow returned for a reward, where the judge's counts all the same. */
  readonly rewardUnused?: number;
  /** The workflow's with the judge's, which win; absent: there are none. */
  readonly metrics?: Readonly<Record<string, number>>;
}

/**
 * The reward of an episode, by upstream's rules in order: a reward that the workflow returned is taken, 0
 * included, and the judge is not run; otherwise the judge scores; where the judge decides, it scores in any case.
 * `isSuccess` absent counts as false. A list is refused, and so is what is not a finite number.
 * Whatever the judge throws is a CodedError here: it ends this episode alone.
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

/** What the judge makes of an output, whatever reward that has of its own. */
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

/** A class may log whatever it likes; of a function AgentScope's tuner takes numbers only. */
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
    return await runInSpan(judging.beginSpan, span, () => judge.computeReward(task, output));
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
      ? 'Return one number: AgentJet declares lists of rewards but refuses them.'
      : 'Return a number; leave the reward out of the workflow’s output to have the judge compute it.',
  });
}

function missingInput({ message, hint }: JudgeInputError, location: Location | undefined): CodedError {
  return new CodedError({ code: 'task-judge/missing-input', message, location, hint });
}

/** With the stack of what was thrown, which leads to where. */
function threw(Judge: JudgeClass, error: unknown, location: Location | undefined): CodedError {
  const { message, stack } = toReport(error, '');
  const coded = new CodedError(
    {
      code: 'task-judge/threw',
      location,
      message: `${callOf(Judge)} threw: ${message}`,
      hint: 'Set a breakpoint there, or run with --verbose to see the whole stack.',
    },
    { cause: error },
  );
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
    message: `${who[method]} returned the metrics ${show(metrics)}, which are not all finite numbers by name.`,
    hint: 'Return metrics as an object of numbers, or leave them out.',
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
