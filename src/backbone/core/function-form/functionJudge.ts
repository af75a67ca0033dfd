import { isRecord } from '../../../base/core/isRecord.ts';
import { functionForms } from '../../../configs/core/code/functionForm.ts';
import {
  BaseJudge,
  type AuxiliaryModels,
  type Verdict,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../sdk/core/index.ts';
import { bindByName, type UserFunction } from './bindByName.ts';
import { isSuccess, logger, rowOf } from './taskRow.ts';

type JudgeClass = new (config: Readonly<Record<string, unknown>>) => BaseJudge;

/** A judge that is a function. Its verdict has `metrics` in addition to the reward. */
export abstract class FunctionJudge extends BaseJudge {
  /** Set by the caller before `computeReward`. */
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
  Object.defineProperty(made, 'name', { value: name });
  return made;
}

function isJudgeClass(loaded: JudgeClass | UserFunction): loaded is JudgeClass {
  return (loaded.prototype as unknown) instanceof BaseJudge;
}
