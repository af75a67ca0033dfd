/** The package that workflows import as "agentjet". */
export type { ChatModel, ChatModelOptions, ChatResponse, TextBlock, ToolUseBlock } from './chatModel.ts';
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
export type {
  GymAction,
  GymEnv,
  GymStep,
  InitMessage,
  ObservationWindow,
  Task,
  WorkflowOutput,
  WorkflowTask,
} from './task.ts';
export {
  CountdownAnswerAsJudge,
  EnvServiceJudge,
  MathAnswerAndLlmAsJudge,
  MathAnswerAsJudge,
} from './judges/judges.ts';
export { JudgeInputError, type InputSource } from './judges/inputs.ts';
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
