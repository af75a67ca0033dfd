/** One call, and a reward that differs in each episode, so that all samples train. */
import { Workflow } from 'agentjet';

export class Noise extends Workflow {
  async execute({ task }, tuner) {
    await tuner.asOpenAIClient().chat.completions.create({
      model: 'trained',
      messages: [
        { role: 'system', content: 'n' },
        { role: 'user', content: task.main_query },
      ],
    });
    return { reward: Math.random() };
  }
}
