/** Agents in Python, made with the frameworks that people make them with: what training would see of each. */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { runJson, type CliOptions, type JsonEpisode } from '../harness/cli.ts';
import { smallProject, smallWorkflow, type Project } from '../harness/project.ts';
import { openTrace } from '../harness/trace.ts';

const fixture = path.resolve(import.meta.dirname, '../../fixtures/python');

const scripted = ['--model', 'script', '--script', 'frameworks/answers.mjs'];

async function frameworks(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await smallProject(files);
  for (const name of ['frameworks', 'frameworks.yaml', 'judge.py']) {
    await cp(path.join(fixture, name), project.path(name), { recursive: true });
  }
  return project;
}

interface Solved {
  readonly episode: Partial<JsonEpisode>;
  readonly messages: readonly object[];
}

/** What training would see, but for how the tool is described, which each framework does in its own words. */
function seen(trace: string, number: number, episode: JsonEpisode): Solved {
  const { reward, isSuccess, llmCalls, timelines, trainableTokens, error } = episode;
  const whole =
    timelines === 0 ? [] : openTrace(trace).read((views) => views.conversations.ofTimeline(number, 0));
  const messages = whole.map(({ role, author, text, toolCalls, tokenIds, lossMask }) => ({
    role,
    author,
    text,
    calls: (JSON.parse(toolCalls ?? '[]') as { function: object }[]).map((call) => call.function),
    trained: Array.from(tokenIds).filter((_, at) => lossMask[at] === 1),
  }));
  return { episode: { reward, isSuccess, llmCalls, timelines, trainableTokens, error }, messages };
}

async function solved(
  python: string,
  tasks: readonly string[],
  options?: CliOptions,
): Promise<Readonly<Record<string, Solved>>> {
  const args = ['--conf', 'frameworks.yaml', '--python', python, ...tasks.flatMap((id) => ['--task-id', id])];
  const { episodes, trace } = await runJson(await frameworks(), [...args, ...scripted], options);
  return Object.fromEntries(
    episodes.map((episode, at) => [episode.taskId, seen(trace ?? '', at, episode)] as const),
  );
}

async function typescriptTwin(): Promise<Solved> {
  const { INSTRUCTIONS, question } = await told();
  const project = await frameworks({
    'workflow.ts': smallWorkflow(`const messages: any[] = [
      { role: 'system', content: ${JSON.stringify(INSTRUCTIONS)} },
      { role: 'user', content: ${JSON.stringify(question)} },
    ];
    const parameters = { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] };
    const tools: any[] = [{ type: 'function', function: { name: 'calculate', parameters } }];
    const client = tuner.asOpenAIClient({ agentName: 'solver' });
    for (;;) {
      const { message } = (await client.chat.completions.create({ model: 'any', messages, tools })).choices[0]!;
      if (!message.tool_calls) return { reward: message.content!.includes('{17}') ? 1 : 0, isSuccess: true };
      messages.push(message, { role: 'tool', tool_call_id: 'call_1', content: '17' });
    }`),
  });
  const { episodes, trace } = await runJson(project, ['--conf', 'small.yaml', '--tasks', '1', ...scripted]);
  const [episode] = episodes;
  if (episode === undefined) throw new Error('The twin has no episode.');
  return seen(trace ?? '', 0, episode);
}

async function told(): Promise<{ INSTRUCTIONS: string; question: string }> {
  const project = await frameworks();
  const [, INSTRUCTIONS = ''] =
    /^INSTRUCTIONS = (".*")$/m.exec(await project.read('frameworks/calculator.py')) ?? [];
  const [row = ''] = (await project.read('frameworks/tasks.jsonl')).split('\n');
  const { main_query: question } = JSON.parse(row) as { main_query: string };
  return { INSTRUCTIONS: JSON.parse(INSTRUCTIONS) as string, question };
}

describe('one agent with a tool', () => {
  beforeAll(async () => {
    await ensurePython('agents');
    await ensurePython('agentscope1');
  }, 600_000);

  it('is in TypeScript one timeline of two calls', async () => {
    const twin = await typescriptTwin();
    expect(twin.episode).toMatchObject({ reward: 1, llmCalls: 2, timelines: 1, error: null });
    expect(twin.messages).toMatchObject([
      { role: 'system', author: 'env', calls: [], trained: [] },
      { role: 'user', author: 'env', calls: [], trained: [] },
      { role: 'assistant', author: 'llm', calls: [{ name: 'calculate' }] },
      { role: 'tool', author: 'env', text: '17', trained: [] },
      { role: 'assistant', author: 'llm', text: 'So it is \\boxed{17}.' },
    ]);
  });

  const onAgents = [
    'agentscope_2',
    'langgraph_react',
    'langgraph_stream',
    'openai_sdk',
    'openai_agents_chat',
    'openai_agents_responses',
    'openai_agents_stream',
    'raw_http',
    'plain_class',
  ];

  it('is the same to training with every framework, though there is no network', async () => {
    // A proxy that is not there: the gateway must be reached all the same, and what frameworks send home hold nothing up.
    const nowhere = 'http://127.0.0.1:9';
    const env = {
      OPENAI_API_KEY: 'sk-none',
      LANGSMITH_TRACING: 'true',
      LANGSMITH_API_KEY: 'ls-none',
      ...{ http_proxy: nowhere, https_proxy: nowhere, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere },
    };
    const all = await solved(await ensurePython('agents'), onAgents, { env });
    const twin = await typescriptTwin();
    expect(all).toEqual(Object.fromEntries(onAgents.map((name) => [name, twin])));
  });

  it('is so with AgentScope 1, whose messages, tools and debug models are what they are in training', async () => {
    const project = await frameworks({
      'big.mjs': 'export default ({ tool_choice }) => `told ${JSON.stringify(tool_choice)}`;',
      'helper.json': '["graded"]',
    });
    const given = ['--debug-model', 'big=big.mjs', '--helper', 'script', '--helper-script', 'helper.json'];
    const targets = ['--trainable-targets', 'default_target_tag'];
    const tasks = ['--task-id', 'agentscope_1', '--task-id', 'agentscope_1_models'];
    const args = ['--conf', 'frameworks.yaml', '--python', await ensurePython('agentscope1'), ...tasks];
    const { episodes, trace } = await runJson(project, [...args, ...scripted, ...given, ...targets]);
    const [agent, models] = episodes.map((episode, at) => seen(trace ?? '', at, episode));
    expect(agent).toEqual(await typescriptTwin());
    expect(models?.episode).toMatchObject({ error: null, reward: 1, llmCalls: 2, timelines: 2 });
    expect(models?.messages).toMatchObject([
      { role: 'system' },
      {
        role: 'user',
        text: expect.stringMatching(/Mira: I picked plums\.\nJonas: And I ate them\./) as string,
      },
      { role: 'assistant', text: '', calls: [{ name: 'calculate' }] },
      { role: 'tool', text: '1' },
      { role: 'assistant', text: 'So it is \\boxed{17}.' },
    ]);
  });
});
