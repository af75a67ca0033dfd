/** The package that workflows import as "agentjet". */
export type { InitMessage, Task, WorkflowOutput, WorkflowTask } from './task.ts';
export { AjetTuner, type AgentOptions, type BaseUrlApiKey } from './tuner.ts';
export { BaseJudge, Workflow, type JudgeVerdict } from './workflow.ts';
