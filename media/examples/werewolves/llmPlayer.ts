import type { AjetTuner } from 'agentjet';
import type { Player, Role } from './players.ts';
import { systemPrompt } from './prompts.ts';
import type { AnswerTool, Question } from './questions.ts';

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Create = Client['chat']['completions']['create'];
type Message = Parameters<Create>[0]['messages'][number];
type Reply = Extract<Awaited<ReturnType<Create>>, { choices: unknown }>['choices'][number]['message'];

/** A player that a language model plays. All it knows of the game are its own messages. */
export class LlmPlayer implements Player {
  readonly name: string;
  readonly role: Role;
  readonly messages: Message[];
  readonly #client: Client;
  readonly #tries: number;

  /** @param tries how often it may be asked until an answer is usable */
  constructor(name: string, role: Role, client: Client, tries: number) {
    this.name = name;
    this.role = role;
    this.messages = [{ role: 'system', content: systemPrompt(name) }];
    this.#client = client;
    this.#tries = tries;
  }

  hear(text: string): void {
    this.messages.push({ role: 'user', content: text });
  }

  async speak(): Promise<string> {
    const reply = await this.#ask();
    return reply.content ?? '';
  }

  async decide<Answer>(question: Question<Answer>): Promise<Answer> {
    const { name } = question.tool.function;
    let problem = '';
    for (let attempt = 1; attempt <= this.#tries; attempt++) {
      const reply = await this.#ask(question.tool);
      const call = reply.tool_calls?.find((made) => made.type === 'function' && made.function.name === name);
      if (call?.type !== 'function') {
        problem = 'it called no tool';
        this.hear(`Moderator: Answer by calling the tool ${name}.`);
        continue;
      }
      try {
        const answer = question.read(parseArguments(call.function.arguments));
        this.messages.push({ role: 'tool', tool_call_id: call.id, content: 'Noted.' });
        return answer;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        this.messages.push({ role: 'tool', tool_call_id: call.id, content: `Error: ${problem}` });
      }
    }
    throw new Error(`${this.name} gave no usable answer to "${name}" in ${this.#tries} tries: ${problem}`);
  }

  async #ask(tool?: AnswerTool): Promise<Reply> {
    const completion = await this.#client.chat.completions.create({
      model: 'player', // any name will do: the tuner knows which model answers for this player
      messages: this.messages,
      ...(tool && { tools: [tool] }),
    });
    const reply = completion.choices[0]?.message;
    if (reply === undefined) throw new Error(`${this.name} got no reply from its model.`);
    this.messages.push(reply);
    return reply;
  }
}

function parseArguments(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) throw new Error('The arguments must be a JSON object.');
  return value as Record<string, unknown>;
}
