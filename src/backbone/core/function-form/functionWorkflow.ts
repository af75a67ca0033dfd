import { isRecord } from '../../../base/core/isRecord.ts';
import { functionForms } from '../../../configs/core/code/functionForm.ts';
import {
  Workflow,
  type AjetTuner,
  type WorkflowOutput,
  type WorkflowTask,
  BaseJudge,
  type AuxiliaryModels,
  type Verdict,
  type FunctionLogger,
  type Task,
  type TaskRow,
} from '../../../sdk/core/index.ts';
import { bindByName, type UserFunction } from './bindByName.ts';

export type WorkflowClass = new () => Workflow;

/** A workflow that is a function: `agentscope.tuner`'s rules hold for it in place of AgentJet's. */
export abstract class FunctionWorkflow extends Workflow {}

/** The class itself, or one whose `execute` calls the function. Throws `workflow/signature`. */
export function asWorkflowClass(loaded: WorkflowClass | UserFunction): WorkflowClass {
  if (isWorkflowClass(loaded)) return loaded;
  const { name, call } = bindByName(loaded, functionForms.workflow);
  const made = class extends FunctionWorkflow {
    override name = name;

    override async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
      const { auxiliaryModels } = tuner;
      const model = tuner.asChatModel();
      const output: unknown = await call({ task: rowOf(task), model, auxiliaryModels, logger });
      return isRecord(output) ? outputOf(output) : (output as WorkflowOutput); // refused as that of a class is
    }
  };
  return Object.defineProperty(made, 'name', { value: name });
}

function isWorkflowClass(loaded: WorkflowClass | UserFunction): loaded is WorkflowClass {
  return (loaded.prototype as unknown) instanceof Workflow;
}

export function outputOf({
  reward,
  response = null,
  metrics,
}: Readonly<Record<string, unknown>>): WorkflowOutput {
  return {
    reward: (reward ?? null) as number | null, // checked as that of a class is
    isSuccess: isSuccess(reward),
    metadata: isRecord(response) ? response : { response },
    response,
    logMetrics: (metrics ?? {}) as Readonly<Record<string, unknown>>, // checked where they are counted
  };
}

type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

/** A judge that is a function. Its verdict has `metrics` in addition to the reward. */
export abstract class FunctionJudge extends BaseJudge {
  auxiliaryModels: AuxiliaryModels = {};
}

/** The class itself, or one whose `computeReward` calls the function. Throws `judge/signature`. */
export function asJudgeClass(loaded: JudgeClass | UserFunction): JudgeClass {
  if (isJudgeClass(loaded)) return loaded;
  const { name, call } = bindByName(loaded, functionForms.judge);
  const made = class extends FunctionJudge {
    override async computeReward({ task }: WorkflowTask, output: WorkflowOutput): Promise<Verdict> {
      const { auxiliaryModels } = this;
      const response = 'response' in output ? output.response : (output.metadata ?? {});
      const verdict: unknown = await call({ task: rowOf(task), response, auxiliaryModels, logger });
      if (!isRecord(verdict) || !('reward' in verdict)) return verdict as Verdict; // refused as that of a class is
      return { ...verdict, isSuccess: isSuccess(verdict['reward']) } as Verdict;
    }
  };
  return Object.defineProperty(made, 'name', { value: name });
}

function isJudgeClass(loaded: JudgeClass | UserFunction): loaded is JudgeClass {
  return (loaded.prototype as unknown) instanceof BaseJudge;
}

/** The queries that readers write for a row without one. */
export const noQuery: ReadonlySet<unknown> = new Set(['', '[not defined]', 'Empty']);

/** Returns the metadata, the whole row of most data sets, with the query that AgentJet's own format has next to it. */
export function rowOf({ main_query, metadata }: Task): TaskRow {
  const hasQuery = noQuery.has(main_query) || Object.values(metadata).includes(main_query);
  return hasQuery || Object.hasOwn(metadata, 'main_query') ? metadata : { main_query, ...metadata };
}

/** AgentScope has no success flag, so a reward of at least 1 is a success, as in AgentJet's validation. */
export function isSuccess(reward: unknown): boolean {
  return typeof reward === 'number' && reward >= 1;
}

const logger: FunctionLogger = console;
