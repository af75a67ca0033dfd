import type { ChatModel, JudgeFunction } from 'agentjet';
import type { Solution } from './workflow.ts';

/**
 * The reward is the sum of its parts, each of which is a metric too: 1 for the right number in the box, 0.2 where a
 * second model finds that the reply says how it got there. That model is not trained, and a run may have none.
 */
export const score: JudgeFunction = async ({ task, response, auxiliaryModels }) => {
  const { text } = response as Solution;
  const accuracy = boxedNumber(text) === reference(String(task['answer'])) ? 1 : 0;
  const { critic } = auxiliaryModels;
  const explained = critic !== undefined && (await explains(critic, text)) ? 0.2 : 0;
  return { reward: accuracy + explained, metrics: { accuracy, explained } };
};

const verdict = {
  type: 'object',
  properties: { explained: { type: 'boolean', description: 'Does the text say how it came to its number?' } },
  required: ['explained'],
};

/** Structured output: the critic answers by the arguments of a tool call, which are the reply's `metadata`. */
async function explains(critic: ChatModel, text: string): Promise<boolean> {
  const { metadata } = await critic([{ role: 'user', content: text }], { structuredModel: verdict });
  return metadata?.['explained'] === true;
}

/** What stands in the last `\boxed{…}`, as a number. */
function boxedNumber(text: string): number | undefined {
  const boxed = text.match(/\\boxed\{([^}]*)\}/g)?.at(-1);
  return boxed === undefined ? undefined : Number(boxed.slice('\\boxed{'.length, -1).replaceAll(',', ''));
}

/** A solution ends in `#### 42`. */
function reference(solution: string): number {
  return Number(solution.split('####').at(-1));
}
