import type { WorkflowOutput, WorkflowTask } from '../task.ts';
import { BaseJudge, type Verdict } from '../workflow.ts';
import { boxed, referenceAnswer } from './answers.ts';
import { outputText, taskText } from './inputs.ts';

/**
 * 1 and a success where the first `\boxed{…}` of `metadata.final_answer` is, character for character, the task's
 * `metadata.answer` behind its last `####`; else 0.
 */
export class MathAnswerAsJudge extends BaseJudge {
  override computeReward(workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): Verdict {
    const answer = boxed(outputText('MathAnswerAsJudge', workflowOutput, 'final_answer'));
    const isSuccess = answer === referenceAnswer(taskText('MathAnswerAsJudge', workflowTask, 'answer'));
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}

/**
 * Has the helper LLM (`ajet.task_judge.alien_llm_model`) compare `metadata.final_answer` with the task's
 * `metadata.answer`: 1 and a success where its reply contains `<Correct>`, else 0.
 */
export class MathAnswerAndLlmAsJudge extends BaseJudge {
  override async computeReward(workflowTask: WorkflowTask, workflowOutput: WorkflowOutput): Promise<Verdict> {
    const given = outputText('MathAnswerAndLlmAsJudge', workflowOutput, 'final_answer');
    const wanted = referenceAnswer(taskText('MathAnswerAndLlmAsJudge', workflowTask, 'answer'));
    const reply = await this.helperLlm.ask([
      {
        role: 'system',
        content:
          'You compare an answer to a mathematics question with the solution. Two that mean the same are equal, however they are written. Reply <Correct> where they are equal and <NotCorrect> where they are not.',
      },
      { role: 'user', content: `Answer:\n${given}\n\nSolution:\n${wanted}` },
    ]);
    const isSuccess = reply.includes('<Correct>');
    return { reward: isSuccess ? 1 : 0, isSuccess };
  }
}
