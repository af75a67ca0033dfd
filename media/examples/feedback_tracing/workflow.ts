import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { calculateTool, runCalculate } from './tools.ts';

const systemPrompt = [
  'You solve math questions. Use the calculate tool for arithmetic.',
  'When you know the result, a number, put it in \\boxed{} and finish with generate_response.',
].join(' ');

const maxCalls = 10;

/** Its call is the last reply: how an agent asks for a structured answer, for training passes on only messages and tools. */
const finishTool = {
  type: 'function' as const,
  function: {
    name: 'generate_response',
    description: 'Ends the work with the final answer.',
    parameters: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'The final answer, with the result in \\boxed{}' },
      },
      required: ['result'],
      additionalProperties: false,
    },
  },
};

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Message = Parameters<Client['chat']['completions']['create']>[0]['messages'][number];

/** Asks what the deployed agent was asked, anew; the judge compares the answer with what that one replied. */
export class SolverWorkflow extends Workflow {
  override name = 'solver';

  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'solver' });
    const messages: Message[] = [
      { role: 'system', content: systemPrompt },
      { role: 'user', content: task.main_query },
    ];
    // A good place for a breakpoint: `task.metadata.answer` is the traced reply.
    for (let call = 1; call <= maxCalls; call++) {
      const completion = await client.chat.completions.create({
        model: 'solver',
        messages,
        tools: [calculateTool, finishTool],
      });
      const reply = completion.choices[0]?.message;
      if (reply === undefined) break;
      messages.push(reply);

      const toolCalls = reply.tool_calls ?? [];
      // A model that answers in words has finished, too.
      if (toolCalls.length === 0) return answerOf(reply.content ?? '');
      for (const toolCall of toolCalls) {
        if (toolCall.type !== 'function') continue;
        const { name, arguments: argumentsJson } = toolCall.function;
        if (name === finishTool.function.name) return answerOf(resultIn(argumentsJson));
        const content =
          name === calculateTool.function.name
            ? runCalculate(argumentsJson)
            : `Error: there is no tool named ${name}`;
        messages.push({ role: 'tool', tool_call_id: toolCall.id, content });
      }
    }
    return answerOf('');
  }
}

function answerOf(answer: string): WorkflowOutput {
  return { reward: null, metadata: { final_answer: answer } };
}

/** A model may send anything; what is no such object is taken as it is. */
function resultIn(argumentsJson: string): string {
  try {
    const value: unknown = JSON.parse(argumentsJson);
    const isResult = typeof value === 'object' && value !== null && 'result' in value;
    return isResult ? String(value.result) : argumentsJson;
  } catch {
    return argumentsJson;
  }
}
