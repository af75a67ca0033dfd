import type { ChatModel, FunctionLogger, TaskRow, WorkflowFunctionOutput } from 'agentjet';
import { calculateTool, runCalculate } from './tools.ts';

const systemPrompt = [
  'You are a careful assistant that solves math problems.',
  'Think step by step and use the calculate tool for arithmetic.',
  'Put the final result, a number, in \\boxed{}.',
].join(' ');

const maxCalls = 4;

type Message = Parameters<ChatModel>[0][number];

/** What the judge gets of an episode. */
export interface Solution {
  readonly text: string;
}

/**
 * Lets the model call the calculator until it answers. It is given what the names of its parameters ask for: `task` is the
 * row of the data set, `model` the model that is trained.
 */
export async function solve(
  task: TaskRow,
  model: ChatModel,
  logger: FunctionLogger,
): Promise<WorkflowFunctionOutput> {
  const messages: Message[] = [
    { role: 'system', content: systemPrompt },
    { role: 'user', content: String(task['question']) },
  ];
  let toolCalls = 0;

  // A good place for a first breakpoint: hover over `reply` and see its blocks.
  for (let call = 1; call <= maxCalls; call++) {
    const reply = await model(messages, { tools: [calculateTool] });
    messages.push(reply.message); // as it came, so that training sees one conversation

    const uses = reply.content.filter((block) => block.type === 'tool_use');
    if (uses.length === 0) {
      const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      return { response: { text } satisfies Solution, metrics: { calls: call, toolCalls } };
    }
    for (const { id, name, input } of uses) {
      const content = name === 'calculate' ? runCalculate(input) : `Error: there is no tool ${name}`;
      messages.push({ role: 'tool', tool_call_id: id, content });
      toolCalls += 1;
    }
  }
  logger.warn('no answer after', maxCalls, 'calls:', task['question']);
  return { response: { text: '' } satisfies Solution, metrics: { calls: maxCalls, toolCalls } };
}
