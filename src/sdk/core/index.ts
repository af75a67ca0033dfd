/** The package that workflows import as "agentjet". */
export type { ChatModel, ChatModelOptions, ChatResponse, TextBlock, ToolUseBlock } from './chatModel.ts';
export type { GymAction, GymEnv, GymStep } from './environment.ts';
export type {
  AuxiliaryModels,
  FunctionLogger,
  JudgeArguments,
  JudgeFunction,
  JudgeFunctionOutput,
  TaskRow,
  WorkflowArguments,
  WorkflowFunction,
  WorkflowFunctionOutput,
} from './functions.ts';
export type { InitMessage } from './message.ts';
export type { ObservationWindow } from './observationWindow.ts';
export type { Task, WorkflowOutput, WorkflowTask } from './task.ts';
export {
  CountdownAnswerAsJudge,
  EnvServiceJudge,
  JudgeInputError,
  MathAnswerAndLlmAsJudge,
  MathAnswerAsJudge,
  type InputSource,
} from './judges/index.ts';
export {
  AgentJetJob,
  AstunerJob,
  type JobConfig,
  type JobEpisode,
  type JobOptions,
  type JobSection,
  type JobSplits,
  type JobWorkflow,
} from './job.ts';
export type { AgentOptions, AjetTuner, BaseUrlApiKey, ContextTracker, RoutedAgentOptions } from './tuner.ts';
export { BaseJudge, Workflow, type JudgeHelper, type JudgeVerdict, type Verdict } from './workflow.ts';
