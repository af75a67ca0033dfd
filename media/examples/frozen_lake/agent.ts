import type { AjetTuner } from 'agentjet';
import { directions, type Action } from './lake.ts';

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Message = Parameters<Client['chat']['completions']['create']>[0]['messages'][number];

const systemPrompt = `You walk across a frozen lake, one cell at a time, until you (P) stand on the goal (G).

The cells: P is you, _ is ice that holds, O is a hole, G is the goal.
Reaching the goal gives 1 point. A hole ends the walk without any.
The ice can be slippery: now and then you slide to the side. Do not let that worry you.

Look at the map, think in a sentence or two, and take as few steps as you can.
End each reply with your next step, one of Up, Down, Left and Right, between triple backticks: \`\`\`Up\`\`\``;

const invalidNote =
  'Your last reply had no effect: you stand where you stood. Check the step and how you wrote it; ' +
  'it must be one of Up, Down, Left and Right between triple backticks.';

/** Asks the model for one step at a time, and remembers the whole walk. */
export class FrozenLakeAgent {
  readonly #client: Client;
  readonly #maxSteps: number;
  readonly #messages: Message[] = [{ role: 'system', content: systemPrompt }];
  #step = 0;
  #lastObservation: string | undefined;

  constructor(client: Client, maxSteps: number) {
    this.#client = client;
    this.#maxSteps = maxSteps;
  }

  async choose(observation: string): Promise<Action> {
    this.#messages.push({ role: 'user', content: this.#prompt(observation) });
    const completion = await this.#client.chat.completions.create({
      model: 'frozen-lake', // any name will do: the tuner knows which model is being tuned
      messages: this.#messages,
    });
    const content = completion.choices[0]?.message.content ?? '';
    this.#messages.push({ role: 'assistant', content });
    this.#lastObservation = observation;
    this.#step += 1;
    return readAction(content);
  }

  #prompt(observation: string): string {
    const left = this.#maxSteps - this.#step;
    return [
      `Current Observation (${this.#step}):`,
      observation,
      'You are not on the goal yet. What is your next step?',
      ...(this.#lastObservation === observation ? [invalidNote] : []),
      ...(left > 0 ? [`Steps left: ${left}.`] : []),
    ].join('\n');
  }
}

/** What stands between the last pair of triple backticks, if it is a direction. */
export function readAction(reply: string): Action {
  const last = [...reply.matchAll(/```([\s\S]*?)```/g)].at(-1)?.[1] ?? '';
  const word = last.trim().toLowerCase();
  return directions.find((direction) => direction === word) ?? 'still';
}
