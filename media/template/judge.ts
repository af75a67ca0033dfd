import { BaseJudge, type JudgeVerdict, type WorkflowOutput, type WorkflowTask } from 'agentjet';

/** Reward 1 when the boxed result is the task's answer, else 0. */
export class NewProjectJudge extends BaseJudge {
  override computeReward({ task }: WorkflowTask, { metadata }: WorkflowOutput): JudgeVerdict {
    const boxed = /\\boxed\{([^}]*)\}/.exec(String(metadata?.['answer']))?.[1];
    const isSuccess = boxed === task.metadata['answer'];
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}
