import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';

// AgentJet wants a system prompt, first.
const systemPrompt = 'You solve math problems. Put the final result, a number, in \\boxed{}.';

/** The agent. Its calls go through the tuner, which knows which model is trained. */
export class NewProjectWorkflow extends Workflow {
  override name = 'new_project';

  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'new_project' });
    const completion = await client.chat.completions.create({
      model: 'any', // the tuner knows which
      messages: [
        { role: 'system', content: systemPrompt },
        { role: 'user', content: task.main_query },
      ],
    });
    // A good place for a first breakpoint: the reply, before the judge sees it.
    const answer = completion.choices[0]?.message.content ?? '';
    return { reward: null, metadata: { answer } }; // no reward: the judge scores
  }
}
