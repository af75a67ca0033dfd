import type { ChatModel } from './chatModel.ts';

/**
 * A row of the data set: the `metadata` of its task, which is the whole row where that has no such field. Where the
 * query stands beside the metadata, it is here as `main_query`.
 */
export type TaskRow = Readonly<Record<string, unknown>>;

/** What the function form may print with. */
export interface FunctionLogger {
  debug(...values: readonly unknown[]): void;
  info(...values: readonly unknown[]): void;
  warn(...values: readonly unknown[]): void;
  error(...values: readonly unknown[]): void;
}

/** Chat models by name. */
export type AuxiliaryModels = Readonly<Record<string, ChatModel>>;

export interface WorkflowArguments {
  readonly task: TaskRow;
  /** The model being trained. */
  readonly model: ChatModel;
  /** The run’s debug models; never trained. Empty where the run has none. */
  readonly auxiliaryModels: AuxiliaryModels;
  readonly logger: FunctionLogger;
}

export interface WorkflowFunctionOutput {
  /** Needed, and taken, only where the config names no judge: the opposite of what holds for a class. */
  readonly reward?: number | null;
  /** For the judge. One that is a class finds it as the output's `metadata`. */
  readonly response?: unknown;
  readonly metrics?: Readonly<Record<string, number>> | null;
}

/**
 * The function form of a workflow, as in `agentscope.tuner`: `ajet.rollout.user_workflow: file.ts->name`. It takes one
 * object apart, by these names, `task` and `model` at least; or it has parameters of these names, in any order, and is
 * given what they ask for: `(task: TaskRow, model: ChatModel) => …`.
 */
export type WorkflowFunction = (
  given: WorkflowArguments,
) => Promise<WorkflowFunctionOutput> | WorkflowFunctionOutput;

export interface JudgeArguments extends Omit<WorkflowArguments, 'model'> {
  /** That of the workflow's output, null where it has none; its `metadata`, where the workflow is a class. */
  readonly response: unknown;
}

export interface JudgeFunctionOutput {
  readonly reward: number;
  /** Win over the workflow's of the same name. */
  readonly metrics?: Readonly<Record<string, number>> | null;
}

/**
 * The function form of a judge: `ajet.task_judge.judge_protocol: file.ts->name`. It is given `task` and `response` as a
 * {@link WorkflowFunction} is given its arguments.
 */
export type JudgeFunction = (given: JudgeArguments) => Promise<JudgeFunctionOutput> | JudgeFunctionOutput;
