import { BaseJudge, type JudgeVerdict, type WorkflowOutput, type WorkflowTask } from 'agentjet';

const instructions = [
  'You grade an answer to a question about a passage.',
  'Give 1 for a right and short answer, 0.5 for a right one among other things, 0 for a wrong one.',
  'Reply with <score>NUMBER</score> and nothing else.',
].join(' ');

/** Has the helper LLM grade the answer, since generated tasks have no reference. */
export class AnswerJudge extends BaseJudge {
  override async computeReward({ task }: WorkflowTask, { metadata }: WorkflowOutput): Promise<JudgeVerdict> {
    const answer = metadata?.['final_answer'];
    if (typeof answer !== 'string') throw new Error("The judge needs the output's metadata.final_answer.");
    const reply = await this.helperLlm.ask([
      { role: 'system', content: instructions },
      {
        role: 'user',
        content: `<question>\n${task.main_query}\n</question>\n\n<answer>\n${answer}\n</answer>`,
      },
    ]);
    const reward = Number(/<score>([\d.]+)<\/score>/.exec(reply)?.[1] ?? Number.NaN);
    if (!(reward >= 0 && reward <= 1)) throw new Error(`The helper LLM gave no score: ${reply}`);
    return { reward, isSuccess: reward === 1 };
  }
}
