import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';

const systemPrompt = [
  'You solve number puzzles: reach the target with the numbers that are given.',
  'Use each number exactly once, and no operations but + - * / and parentheses.',
  'Show how you get there, step by step.',
  'End with the expression alone in \\boxed{}, for example \\boxed{(1 + 2) * 3}.',
].join(' ');

/** One question, one answer; the judge computes what the boxed expression comes to. */
export class ExampleCountdownLearn extends Workflow {
  override name = 'countdown_agent_workflow';

  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    // The rows of the data set have these two columns and no question: `task.main_query` says nothing.
    const { target, nums } = task.metadata;
    if (typeof target !== 'number' || !Array.isArray(nums)) {
      throw new Error('A row of the data set needs a number `target` and a list `nums`.');
    }
    const client = tuner.asOpenAIClient({ agentName: 'countdown_react_agent' });
    const completion = await client.chat.completions.create({
      model: 'countdown', // any name will do: the tuner knows which model is being tuned
      messages: [
        { role: 'system', content: systemPrompt },
        {
          role: 'user',
          content: `Target: ${target}\nNumbers: ${nums.join(', ')}\n\nHow do you reach the target?`,
        },
      ],
    });
    // A good place for a first breakpoint: the reply, before the judge sees it.
    const finalAnswer = completion.choices[0]?.message.content ?? '';
    return { reward: null, metadata: { final_answer: finalAnswer, target, nums } };
  }
}
