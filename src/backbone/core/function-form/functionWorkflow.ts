import { isRecord } from '../../../base/core/isRecord.ts';
import { functionForms } from '../../../configs/core/code/functionForm.ts';
import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from '../../../sdk/core/index.ts';
import { bindByName, type UserFunction } from './bindByName.ts';
import { isSuccess, logger, rowOf } from './taskRow.ts';

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
  Object.defineProperty(made, 'name', { value: name });
  return made;
}

function isWorkflowClass(loaded: WorkflowClass | UserFunction): loaded is WorkflowClass {
  return (loaded.prototype as unknown) instanceof Workflow;
}

/** Converts the return value of a function to the output of a workflow class. */
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
