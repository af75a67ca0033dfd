/** Ten calls an episode, on one growing conversation. Tells the most memory that the process had when it ends. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { Workflow } from 'agentjet';

const callsOfAnEpisode = 10;
const told = process.env['AGENTJET_BENCH_MEMORY'];

if (told !== undefined) {
  process.on('exit', () => writeFileSync(told, String(process.resourceUsage().maxRSS)));
}

export class TenCalls extends Workflow {
  async execute({ task }, tuner) {
    const client = tuner.asOpenAIClient();
    const messages = [{ role: 'system', content: 'You count.' }];
    for (let call = 0; call < callsOfAnEpisode; call += 1) {
      messages.push({ role: 'user', content: `${task.main_query} Step ${call}.` });
      const { choices } = await client.chat.completions.create({ model: 'any', messages });
      messages.push({ role: 'assistant', content: choices[0].message.content });
    }
    return { reward: messages.length % 2, isSuccess: true };
  }
}
