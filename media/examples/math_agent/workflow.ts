import { Workflow, type AjetTuner, type Task, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { calculateTool, runCalculate } from './tools.ts';

const systemPrompt = [
  'You are a careful assistant that solves math problems.',
  'Think step by step and use the calculate tool for arithmetic.',
  'Put the final result, a number, in \\boxed{}.',
].join(' ');

const maxCalls = 4;

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Message = Parameters<Client['chat']['completions']['create']>[0]['messages'][number];

/** Lets the model call the calculator until it answers; the judge compares the answer with the solution. */
export class MathAgentWorkflow extends Workflow {
  override name = 'math_agent';

  async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'math_agent' });
    const messages: Message[] = [
      { role: 'system', content: systemPrompt },
      { role: 'user', content: questionOf(workflowTask.task) },
    ];

    // A good place for a first breakpoint: hover over `messages` and watch the conversation grow.
    for (let call = 1; call <= maxCalls; call++) {
      const completion = await client.chat.completions.create({
        model: 'math-agent', // any name will do: the tuner knows which model is being tuned
        messages,
        tools: [calculateTool],
      });
      const reply = completion.choices[0]?.message;
      if (reply === undefined) break;
      messages.push(reply);

      const toolCalls = reply.tool_calls ?? [];
      if (toolCalls.length === 0) {
        return { reward: null, metadata: { final_answer: reply.content ?? '', calls: call } };
      }
      for (const toolCall of toolCalls) {
        if (toolCall.type !== 'function') continue;
        const result =
          toolCall.function.name === calculateTool.function.name
            ? runCalculate(toolCall.function.arguments)
            : `Error: there is no tool named ${toolCall.function.name}`;
        messages.push({ role: 'tool', tool_call_id: toolCall.id, content: result });
      }
    }
    return { reward: null, metadata: { final_answer: '', calls: maxCalls } };
  }
}

/** Data sets whose rows are {question, answer} have no main_query: there the whole row is the metadata. */
function questionOf(task: Task): string {
  const { question } = task.metadata;
  return typeof question === 'string' ? question : task.main_query;
}
