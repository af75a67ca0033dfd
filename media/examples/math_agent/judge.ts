import { BaseJudge, type JudgeVerdict, type WorkflowOutput, type WorkflowTask } from 'agentjet';

/** Reward 1 when the boxed answer is, character for character, the one the data set gives; else 0. */
export class MathAnswerJudge extends BaseJudge {
  override computeReward(workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): JudgeVerdict {
    const given = boxedAnswer(
      textOf(workflowOutput.metadata?.['final_answer'], "the output's metadata.final_answer"),
    );
    const expected = referenceAnswer(
      textOf(workflowTask.task.metadata['answer'], "the task's metadata.answer"),
    );
    const isSuccess = given === expected;
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}

/** What stands in the first `\boxed{…}`; undefined when there is none. */
function boxedAnswer(text: string): string | undefined {
  return /\\boxed\{([^}]*)\}/.exec(text)?.[1];
}

/** A solution ends in `#### 42`: what stands after the last `####`. */
function referenceAnswer(solution: string): string {
  return (solution.split('####').at(-1) ?? '').trim();
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`The judge needs ${what} to be a text.`);
  return value;
}
