import type { ChatModel } from './chatModel.ts';

/**
 * A row of the data set: the `metadata` of its task, which is the whole row if the row has no such field. If the query is
 * next to the metadata, it is added as `main_query`.
 */
export type TaskRow = Readonly<Record<string, unknown>>;

/** The logger of the function form. */
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
 * The function form of a workflow, as in `agentscope.tuner`: `ajet.rollout.user_workflow: file.ts->name`. It destructures
 * one object with these names, at least `task` and `model`. Or it has parameters with these names in any order, for
 * example `(task: TaskRow, model: ChatModel) => …`.
 */
export type WorkflowFunction = (
  given: WorkflowArguments,
) => Promise<WorkflowFunctionOutput> | WorkflowFunctionOutput;

export interface JudgeArguments extends Omit<WorkflowArguments, 'model'> {
  /** The response of the workflow, or null. For a workflow class, the `metadata` of its output. */
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
