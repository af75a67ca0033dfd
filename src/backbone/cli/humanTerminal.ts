import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { withoutControl } from '../../base/core/visibleText.ts';
import { replySyntax } from '../core/model-tuner/human/humanReply.ts';
import type { ModelAnswer, RunEvent } from '../core/protocol/run.ts';

type Asked = Extract<RunEvent, { type: 'model-asks' }>;

const endOfAnswer = '.';

export interface HumanTerminalOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** True if it is an interactive terminal. */
  readonly terminal: boolean;
  answer(answer: ModelAnswer): void;
  /** Called on Ctrl-C, which a terminal sends to its reader. */
  interrupt(): void;
}

/** Asks a person at a terminal for the answers of the model. */
export class HumanTerminal {
  readonly #options: HumanTerminalOptions;
  readonly #lines: Interface;
  #question: Asked | undefined;
  #written: string[] = [];
  #isTaught = false;

  constructor(options: HumanTerminalOptions) {
    this.#options = options;
    const { input, output, terminal } = options;
    this.#lines = createInterface({ input, output, terminal, prompt: '> ' });
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('SIGINT', () => options.interrupt());
    // Ctrl-D: no answer can follow, so do not wait for one.
    this.#lines.on('close', () => options.interrupt());
  }

  take(event: RunEvent): void {
    if (event.type === 'model-asks') this.#ask(event);
    else if (event.type === 'model-asks-no-more' && event.id === this.#question?.id)
      this.#question = undefined;
  }

  close(): void {
    this.#lines.removeAllListeners('close');
    this.#lines.close();
  }

  #ask(question: Asked): void {
    this.#question = question;
    this.#written = [];
    if (question.problem === null) this.#say(this.#introduce(question));
    else this.#say(`Line ${question.problem.line + 1}: ${question.problem.message}. Try again:`);
    this.#lines.prompt();
  }

  #introduce({ call, taskId, repeat, agent, conversation, tools, waiting }: Asked): string {
    const lines = [
      '',
      `LLM call ${call} of task ${taskId}, repeat ${repeat}, by agent "${agent}"${waiting > 0 ? ` (${waiting} more waiting)` : ''}`,
      '',
      conversation,
      '',
    ];
    if (!this.#isTaught) {
      this.#isTaught = true;
      lines.push(`Answer as the model; a line with "${endOfAnswer}" alone ends the answer.`);
      if (tools.length > 0) lines.push(replySyntax);
    }
    return lines.join('\n');
  }

  #take(line: string): void {
    const question = this.#question;
    if (question === undefined) return;
    if (line !== endOfAnswer) {
      this.#written.push(line);
      this.#lines.prompt();
      return;
    }
    this.#question = undefined;
    this.#options.answer({ id: question.id, text: this.#written.join('\n') });
  }

  #say(text: string): void {
    this.#options.output.write(`${withoutControl(text)}\n`);
  }
}
