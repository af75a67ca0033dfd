import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { HelperLlm, HelperMessage } from '../../helper-llm/helperLlm.ts';
import { rankPrompt, rankSchema, scorePrompt, scoreSchema } from './prompts.ts';
import { ranksIn, scoreIn } from './replies.ts';
import type { GraderSettings } from './settings.ts';

export interface GraderReply<T> {
  readonly verdict: T | undefined;
  readonly reply: string;
}

/** The helper LLM in the role of a grader. Rejects as the helper LLM does. */
export interface Grader {
  /** Returns the score of the grader, which may be outside its bounds. */
  score(rubrics: string, query: string, answer: string): Promise<GraderReply<number>>;
  /** Returns the ranks in the order of the answers; 1 is the best. */
  rank(rubrics: string, query: string, answers: readonly string[]): Promise<GraderReply<readonly number[]>>;
  /** @param answer the JSON Schema of the reply */
  ask(messages: readonly HelperMessage[], answer: Readonly<Record<string, unknown>>): Promise<string>;
}

export function createGrader(
  settings: GraderSettings,
  helper: HelperLlm,
  cancellation: CancellationToken,
): Grader {
  const ask: Grader['ask'] = (messages, answer) =>
    helper.ask(messages, cancellation, { model: settings.model, answer });
  return {
    ask,
    score: async (...given) => {
      const reply = await ask(scorePrompt(settings, ...given), scoreSchema(settings));
      return { verdict: scoreIn(reply), reply };
    },
    rank: async (rubrics, query, answers) => {
      const { length } = answers;
      const reply = await ask(rankPrompt(settings, rubrics, query, answers), rankSchema(length));
      return { verdict: ranksIn(reply, length), reply };
    },
  };
}
