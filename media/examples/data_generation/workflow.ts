import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';

const systemPrompt =
  'You answer questions about a passage: one short sentence, and nothing that was not asked for.';

/** One question, one answer. */
export class AnswerWorkflow extends Workflow {
  override name = 'answer';

  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    // A good place for a breakpoint: `task.metadata` says how the query came about.
    const completion = await tuner.asOpenAIClient({ agentName: 'answer' }).chat.completions.create({
      model: 'answer',
      messages: [
        { role: 'system', content: systemPrompt },
        { role: 'user', content: task.main_query },
      ],
    });
    const answer = completion.choices[0]?.message.content ?? '';
    return { reward: null, metadata: { final_answer: answer } };
  }
}
