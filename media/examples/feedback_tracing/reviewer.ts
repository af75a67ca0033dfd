/**
 * Stands for the helper LLM that the filter `llm_evaluate` asks, so that the example needs none. It goes by the rules that
 * the config gives it: no box, or a calculation that is wrong, and the reply is no training data. Give a real one instead
 * with `--helper endpoint --helper-base-url …`.
 */
import { evaluate } from './tools.ts';

interface Request {
  readonly messages: readonly { readonly content?: unknown }[];
}

export default function respond({ messages }: Request): string {
  const pair = messages.at(-1)?.content;
  const reply = typeof pair === 'string' ? (pair.split('\nanswer: ')[1] ?? '') : '';
  const fault = faultOf(reply);
  const verdict =
    fault === undefined
      ? { reason: 'The calculation is right and its result is in a box.', result: 'GOOD' }
      : { reason: fault, result: 'BAD' };
  return JSON.stringify(verdict);
}

function faultOf(reply: string): string | undefined {
  if (!reply.includes('\\boxed{')) return 'There is no result in a box.';
  const wrong = [...reply.matchAll(/([\d(][\d+\-*/() ]*) = (\d+)/g)].find(
    ([, expression = '', value]) => evaluate(expression) !== Number(value),
  );
  return wrong && `It is wrong that ${wrong[0]}.`;
}
