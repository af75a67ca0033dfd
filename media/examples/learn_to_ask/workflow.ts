import { Workflow, type AjetTuner, type InitMessage, type WorkflowOutput, type WorkflowTask } from 'agentjet';

const systemPrompt = [
  'You are a doctor who talks with a patient in writing. Carry the conversation on, in English.',
  'Ask for one thing that you do not know yet: a single question, in one sentence, with two or three answers to choose from.',
  'Never ask what has been asked before.',
  'Once you know enough to advise the patient, answer with <stop /> and nothing else.',
].join('\n');

type Client = ReturnType<AjetTuner['asOpenAIClient']>;
type Message = Parameters<Client['chat']['completions']['create']>[0]['messages'][number];

/** One reply to a conversation that breaks off: the next question, or `<stop />`. The judge scores it. */
export class ExampleLearn2Ask extends Workflow {
  override name = 'learn_to_ask';

  async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const client = tuner.asOpenAIClient({ agentName: 'doctor' });
    const messages: Message[] = [
      { role: 'system', content: systemPrompt },
      ...workflowTask.task.init_messages.map(messageOf),
    ];
    const completion = await client.chat.completions.create({ model: 'doctor', messages });
    const response = completion.choices[0]?.message.content ?? '';
    // A good place for a breakpoint: `messages` is what was said so far, `response` what the doctor makes of it.
    return { reward: null, metadata: { response } };
  }
}

/** The data set has the patient as `user` and the doctor, whose part is being learned, as `assistant`. */
function messageOf({ role, content }: InitMessage): Message {
  if (role === 'user' || role === 'assistant') return { role, content };
  throw new Error(`A dialogue has messages of user and assistant, none of ${role}.`);
}
