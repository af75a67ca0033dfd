import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Message = Parameters<Client['chat']['completions']['create']>[0]['messages'][number];

const maxSteps = 12;

/** Lets the model act in the environment, one reply a step, until the environment ends it; the service gives the reward. */
export class ShopWorkflow extends Workflow {
  override name = 'corner_shop';

  async execute({ task, gymEnv }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'shopper' });
    // What the instance told when it was made: its rules as system prompt, then the errand.
    const messages: Message[] = task.init_messages.map(({ role, content }) =>
      role === 'system' ? { role, content } : { role: 'user', content },
    );

    for (let step = 0; step < maxSteps; step++) {
      const completion = await client.chat.completions.create({ model: 'shopper', messages });
      const content = completion.choices[0]?.message.content ?? '';
      messages.push({ role: 'assistant', content });

      // A good place for a breakpoint: step over this line, then look at `obs` and at the server's terminal.
      const { obs, terminate } = await gymEnv.step({ role: 'assistant', content });
      if (terminate) return { reward: null, metadata: { total_step: step } };
      messages.push({ role: 'user', content: textOf(obs) });
    }
    return { reward: null, metadata: { total_step: maxSteps - 1 } };
  }
}

/** A service may answer with several messages; this agent reads them as one. */
function textOf(obs: string | readonly { readonly content: string }[]): string {
  return typeof obs === 'string' ? obs : obs.map(({ content }) => content).join('\n');
}
