import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { HelperLlm, HelperMessage } from '../../helper-llm/helperLlm.ts';
import { rankPrompt, rankSchema, scorePrompt, scoreSchema } from './prompts.ts';
import { ranksIn, scoreIn } from './replies.ts';
import type { GraderSettings } from './settings.ts';

/** A response and the value read from it. */
export interface GraderReply<T> {
  readonly verdict: T | undefined;
  readonly reply: string;
}

/** The helper LLM as one that scores and ranks. Rejects as that does. */
export class Grader {
  readonly #settings: GraderSettings;
  readonly #helper: HelperLlm;
  readonly #cancellation: CancellationToken;

  constructor(settings: GraderSettings, helper: HelperLlm, cancellation: CancellationToken) {
    this.#settings = settings;
    this.#helper = helper;
    this.#cancellation = cancellation;
  }

  /** Returns the score of the grader, which may be outside its bounds. */
  async score(rubrics: string, query: string, answer: string): Promise<GraderReply<number>> {
    const prompt = scorePrompt(this.#settings, rubrics, query, answer);
    const reply = await this.ask(prompt, scoreSchema(this.#settings));
    return { verdict: scoreIn(reply), reply };
  }

  /** In the order of the answers; 1 is the best. */
  async rank(
    rubrics: string,
    query: string,
    answers: readonly string[],
  ): Promise<GraderReply<readonly number[]>> {
    const prompt = rankPrompt(this.#settings, rubrics, query, answers);
    const reply = await this.ask(prompt, rankSchema(answers.length));
    return { verdict: ranksIn(reply, answers.length), reply };
  }

  /** @param answer the JSON Schema of the reply */
  ask(messages: readonly HelperMessage[], answer: Readonly<Record<string, unknown>>): Promise<string> {
    return this.#helper.ask(messages, this.#cancellation, { model: this.#settings.model, answer });
  }
}
