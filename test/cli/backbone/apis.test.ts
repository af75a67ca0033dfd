/** Workflows whose clients speak OpenAI's Responses API and Anthropic's Messages API, through the tuner's base URL and key. */
import { describe, expect, it } from 'vitest';
import { runJson, type JsonResults } from '../harness/cli.ts';
import { smallProject, smallWorkflow } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const conf = ['--conf', 'small.yaml', '--tasks', '1', '--verbose'];
const scripted = [...conf, '--model', 'script', '--script', 'answers.json'];

const answers = JSON.stringify([
  { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":  1, "b": 2}' } }] },
  'It is 3.',
]);

const bodies = {
  chat: `const client = tuner.asOpenAIClient({ agentName: 'adder' });
    const messages = [{ role: 'system', content: 'Add.' }, { role: 'user', content: 'One and two?' }];
    const tools = [{ type: 'function', function: { name: 'add', parameters } }];
    const first = await client.chat.completions.create({ model: 'm', messages, tools });
    const message = first.choices[0]!.message;
    const call: any = message.tool_calls![0];
    messages.push(message, { role: 'tool', tool_call_id: call.id, content: '3' });
    const second = await client.chat.completions.create({ model: 'm', messages, tools });
    const text = second.choices[0]!.message.content;`,
  responses: `const client = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    const tools: any[] = [{ type: 'function', name: 'add', parameters, strict: null }];
    const asked = { model, instructions: 'Add.', tools };
    const input: any[] = [{ role: 'user', content: 'One and two?' }];
    const first = await client.responses.create({ ...asked, input });
    const call: any = first.output[0];
    const output = { type: 'function_call_output', call_id: call.call_id, output: '3' };
    const second = await client.responses.stream({ ...asked, input: [...input, ...first.output, output] }).finalResponse();
    const text = second.output_text;`,
  messages: `const client = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    const tools: any[] = [{ name: 'add', input_schema: parameters }];
    const asked = { model, max_tokens: 100, system: 'Add.', tools };
    const messages: any[] = [{ role: 'user', content: 'One and two?' }];
    const first = await client.messages.create({ ...asked, messages });
    const call = first.content[0];
    messages.push({ role: 'assistant', content: first.content });
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '3' }] });
    const second = await client.messages.stream({ ...asked, messages }).finalMessage();
    const text = second.content[0].text;`,
};

function workflow(api: keyof typeof bodies): string {
  const packages = ['openai', '@anthropic-ai/sdk'].map((name) => import.meta.resolve(name));
  const imports = ['OpenAI', 'Anthropic'].map((name, at) => `import ${name} from '${packages[at] ?? ''}';\n`);
  const body = `const parameters = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
    const { baseUrl, apiKey, model } = tuner.asOaiBaseUrlApiKey({ agentName: 'adder' });
    ${bodies[api]}
    return { reward: text === 'It is 3.' ? 1 : 0, isSuccess: [OpenAI, Anthropic, baseUrl, apiKey, model].length === 5 };`;
  return imports.join('') + smallWorkflow(body);
}

async function run(
  api: keyof typeof bodies,
  args: readonly string[] = [],
): Promise<JsonResults & { stderr: string }> {
  const project = await smallProject({ 'workflow.ts': workflow(api), 'answers.json': answers });
  return runJson(project, [...scripted, ...args]);
}

/** What training would see, token by token. */
function tokensOf({ episodes, trace }: JsonResults): unknown {
  const calls = [0, 1].map((call) => openTrace(trace ?? '').read((views) => views.call(0, call)).row);
  return [
    episodes.map(({ reward, llmCalls, timelines, tokens, trainableTokens, error }) => ({
      reward,
      llmCalls,
      timelines,
      tokens,
      trainableTokens,
      error,
    })),
    calls.map(({ agent, status }) => [agent, status]),
  ];
}

describe('an agent that speaks', () => {
  it.each([
    ['responses', 'the Responses API'],
    ['messages', "Anthropic's Messages API"],
  ] as const)('%s is trained on the same tokens as over chat completions, and is told', async (api, told) => {
    const [chat, other] = [await run('chat'), await run(api)];
    expect(tokensOf(other)).toEqual(tokensOf(chat));
    expect(other.episodes).toMatchObject([{ reward: 1, llmCalls: 2, timelines: 1, error: null }]);
    expect(other.stderr).toContain(
      `Agent "adder" uses ${told}, which AgentJet supports in training only since`,
    );
  });

  it('either is recorded and replayed', async () => {
    for (const api of ['responses', 'messages'] as const) {
      const project = await smallProject({ 'workflow.ts': workflow(api), 'answers.json': answers });
      const first = await runJson(project, [...scripted, '--record', 'calls.jsonl']);
      const second = await runJson(project, [...conf, '--replay', 'calls.jsonl']);
      expect(second.episodes).toMatchObject([{ reward: 1, error: null }]);
      expect(tokensOf(second)).toEqual(tokensOf(first));
    }
  });
});
