import type { Task } from '../../../../sdk/core/index.ts';
import { throwIfCancelled } from '../throwIfCancelled.ts';
import { readReply } from '../readReply.ts';
import type { TaskSource } from '../taskReader.ts';

export interface EvaluateParams {
  /** Additional rules of the user. */
  readonly rubrics: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly tellsReason: boolean;
}

/** The model that upstream writes into the filter. */
const reviewer = 'qwen3-235b-a22b-instruct-2507';
const defaultMaxTokens = 512;

const verdictSchema = {
  type: 'object',
  properties: { reason: { type: 'string' }, result: { type: 'string', enum: ['GOOD', 'BAD'] } },
  required: ['reason', 'result'],
};

function instructions(rubrics: string): string {
  return `You review pairs of a question and the answer of an assistant, which become training data. Judge only by the two texts: look nothing up and assume no facts.

A pair is BAD when one or more of these hold; otherwise it is GOOD:
- the question or the answer is empty;
- the answer only acknowledges or asks back, and has no substance;
- the answer does not address the question;
- the answer mainly reports obstacles, such as a search that failed, and offers nothing instead;
- the answer contradicts itself;
- the answer contains illegal, hateful or private content;
- the answer is in a language that the user would not understand.
${rubrics.trim() === '' ? '' : `\nRules of this data set, which count as much:\n${rubrics}\n`}
Reply with one JSON object and nothing else: {"reason": "one sentence", "result": "GOOD" or "BAD"}`;
}

/**
 * Returns the tasks that the helper LLM calls GOOD. Calls are made one after another, as upstream intends. A task with an
 * unreadable verdict is removed. Rejects with `helper-llm/…` if the helper LLM does not respond.
 */
export async function evaluate(
  tasks: readonly Task[],
  params: EvaluateParams,
  { helper, cancellation, log }: TaskSource,
): Promise<readonly Task[]> {
  const kept: Task[] = [];
  for (const [index, task] of tasks.entries()) {
    throwIfCancelled(cancellation);
    const answer = task.metadata['answer'];
    const pair = `query: ${task.main_query}\nanswer: ${typeof answer === 'string' ? answer : ''}`;
    const reply = await helper.ask(
      [
        { role: 'system', content: instructions(params.rubrics) },
        { role: 'user', content: pair },
      ],
      cancellation,
      {
        model: reviewer,
        maxTokens: params.maxTokens ?? defaultMaxTokens,
        ...(params.temperature !== undefined && { sampling: { temperature: params.temperature } }),
        answer: verdictSchema,
      },
    );
    const { result, reason } = verdictOf(reply);
    if (params.tellsReason) log('info', `Reviewed ${index + 1} of ${tasks.length}: ${result}. ${reason}`);
    if (result === 'GOOD') kept.push(task);
  }
  return kept;
}

function verdictOf(reply: string): { result: string; reason: string } {
  const value = readReply(reply);
  const { result, reason } = typeof value === 'object' && value !== null ? (value as Verdict) : {};
  if (result !== 'GOOD' && result !== 'BAD') {
    return { result: 'BAD', reason: `The reviewer gave no verdict: ${reply.slice(0, 80)}` };
  }
  return { result, reason: typeof reason === 'string' ? reason : '' };
}

interface Verdict {
  readonly result?: unknown;
  readonly reason?: unknown;
}
