/** Compares what AgentJet tracks of replies of a real language model with what its server sent, for each framework. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TracedMessage } from '../../src/tracking/core/records/trace.ts';
import { runJson, type JsonEpisode } from '../cli/harness/cli.ts';
import { smallProject, smallWorkflow, type Project } from '../cli/harness/project.ts';
import { openTrace } from '../cli/harness/trace.ts';
import { ensurePython, type PythonEnvironment } from '../tools/pythonEnvironments.mjs';
import { startLlm, type LlmServer, type ServerReply } from './llmServer.ts';

const endToken = 2;
const fixture = path.resolve(import.meta.dirname, '../fixtures/python');

let folder = '';
let llm: LlmServer;

beforeAll(async () => {
  for (const name of ['agents', 'agentscope1', 'llm_agents'] as const) await ensurePython(name);
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-llm-'));
  llm = await startLlm(folder);
});

afterAll(async () => {
  llm.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  llm.take();
});

interface Checked {
  readonly episodes: readonly JsonEpisode[];
  readonly replies: readonly ServerReply[];
}

/** Runs episodes one after the other, and compares each reply with the server's. */
async function checkedRun(project: Project, args: readonly string[]): Promise<Checked> {
  const model = ['--base-url', llm.baseUrl, '--tokenizer', llm.tokenizer, '--parallel', '1'];
  const { episodes, trace, stderr, report } = await runJson(project, [...args, ...model, '--seed', '7']);
  expect(report.tokenizer?.exact, stderr).toBe(true);
  const replies = llm.take();
  const reader = openTrace(trace ?? '');
  const tracked = episodes.flatMap((_, episode) => {
    const { calls } = reader.read((views) => views.episode(episode));
    return calls.map(({ call }) => reader.read((views) => views.conversations.ofCall(episode, call)));
  });
  // The rest had no room in the context, so the model was not called.
  const answered = tracked.filter(({ reply }) => reply?.author === 'llm');
  expect(answered, stderr).toHaveLength(replies.length);
  for (const [at, { messages, reply }] of answered.entries()) {
    if (reply !== null && replies[at] !== undefined) expectSame(messages, reply, replies[at]);
  }
  expect(report.findings.map(({ code }) => code)).not.toContain('logprobs-dropped');
  return { episodes, replies };
}

function expectSame(messages: readonly TracedMessage[], reply: TracedMessage, said: ServerReply): void {
  const ids = Array.from(reply.tokenIds);
  const isTrained = (_: number, at: number): boolean => reply.lossMask[at] === 1;
  const logprobs = Array.from(reply.logprobs ?? new Float32Array(ids.length).fill(NaN));
  const known = ids.flatMap((id, at) => (Number.isNaN(logprobs[at]) ? [] : [[id, logprobs[at]]]));
  expect(said.tokens).not.toEqual([]);
  expect(known).toEqual(said.tokens.map(({ id, logprob }) => [id, Math.fround(logprob)]));
  const trained = ids.filter(isTrained);
  const listsEnd = said.tokens.at(-1)?.id === endToken;
  const { stream, stop } = said.request;
  const ended = listsEnd || (stream === true && said.finishReason !== 'length' && stop === undefined);
  expect(trained.indexOf(endToken)).toBe(ended ? trained.length - 1 : -1);
  // Several tokens can make one character, which the server lists as one.
  if (said.usage && ended) {
    expect(trained).toHaveLength(said.usage.completion_tokens);
  }
  // The server tokenizes earlier replies again, and rewrites tools.
  if (messages.some(({ author }) => author === 'llm') || said.request.tools !== undefined) return;
  const prompt = [
    ...messages.flatMap(({ tokenIds }) => [...tokenIds]),
    ...ids.slice(0, reply.lossMask.indexOf(1)),
  ];
  expect(prompt).toEqual(said.promptIds);
}

const lengths = `ajet:
  data: {max_prompt_length: 3000, max_response_length: 1000}`;
const limits = `  rollout:
    temperature: 0.6
    max_model_len: 4000
    max_response_length_in_one_turn: 60`;

async function small(body: string): Promise<Checked & { readonly episode: JsonEpisode | undefined }> {
  const project = await smallProject({ 'workflow.ts': smallWorkflow(body) });
  await project.edit('small.yaml', 'ajet:', lengths);
  await project.edit('small.yaml', '  rollout:', limits);
  const checked = await checkedRun(project, ['--conf', 'small.yaml', '--tasks', '1']);
  return { ...checked, episode: checked.episodes[0] };
}

const asked = (question: string): string =>
  `const messages = [{ role: 'user' as const, content: ${JSON.stringify(question)} }];
    const client = tuner.asOpenAIClient();`;
const arithmetic = 'What is 14 + 9 - 6?';
const done = 'return { reward: 1, isSuccess: true };';

test.each([false, true])(
  'replies have the ids and log probabilities of the server (stream: %s)',
  async (stream) => {
    const { episode, replies } = await small(`${asked('Name three colors.')}
    for (const seed of [1, 2, 3]) {
      const reply = await client.chat.completions.create({ model: 'any', messages, seed, stream: ${stream} });
      if (Symbol.asyncIterator in reply) for await (const _ of reply);
    }
    ${done}`);
    expect(episode).toMatchObject({ llmCalls: 3, error: null });
    expect(replies.map(({ request }) => request.stream ?? false)).toEqual([stream, stream, stream]);
  },
);

test('characters of several tokens keep their ids', async () => {
  const { replies } = await small(`${asked('Repeat exactly: 🎉🎉 日本語 ∑ ȧ')}
    await client.chat.completions.create({ model: 'any', messages, temperature: 0 });
    const stream = await client.chat.completions.create({ model: 'any', messages, temperature: 0, stream: true });
    for await (const _ of stream);
    ${done}`);
  expect(replies).toHaveLength(2);
});

test('a reply that is cut or ended by a stop text has no end token', async () => {
  const { replies } = await small(`${asked('Count from 1 to 50.')}
    await client.chat.completions.create({ model: 'any', messages, max_tokens: 4 });
    for (const stream of [false, true]) {
      const reply = await client.chat.completions.create({ model: 'any', messages, stop: [' ', ','], stream });
      if (Symbol.asyncIterator in reply) for await (const _ of reply);
    }
    ${done}`);
  expect(replies).toHaveLength(3);
});

test('a TypeScript agent streams with tools, and tool calls have log probabilities, too', async () => {
  const { replies } = await small(`${asked(arithmetic)}
    const parameters = { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] };
    const tools = [{ type: 'function' as const, function: { name: 'calculate', parameters } }];
    for (const temperature of [0, 1]) {
      const stream = await client.chat.completions.create({ model: 'any', messages, tools, temperature, stream: true });
      for await (const _ of stream);
    }
    ${done}`);
  expect(replies).toHaveLength(2);
  expect(replies.map(({ finishReason }) => finishReason)).toContain('tool_calls');
});

const frameworks: readonly (readonly [PythonEnvironment, readonly string[]])[] = [
  [
    'agents',
    [
      'openai_sdk',
      'raw_http',
      'langgraph_react',
      'langgraph_stream',
      'openai_agents_chat',
      'openai_agents_responses',
      'openai_agents_stream',
      'agentscope_2',
    ],
  ],
  ['agentscope1', ['agentscope_1']],
  ['llm_agents', ['pydantic_ai_agent', 'pydantic_ai_stream', 'smolagents_agent', 'litellm_sdk']],
];

test.each(frameworks)('agents of the environment %s', async (environment, names) => {
  const project = await smallProject();
  for (const name of ['frameworks', 'frameworks.yaml', 'judge.py']) {
    await cp(path.join(fixture, name), project.path(name), { recursive: true });
  }
  await cp(path.join(import.meta.dirname, 'frameworks'), project.path('frameworks'), { recursive: true });
  const [row = '{}'] = (await project.read('frameworks/tasks.jsonl')).split('\n');
  const asks = { ...(JSON.parse(row) as object), main_query: arithmetic };
  const tasks = names.map((name) => JSON.stringify({ ...asks, task_id: name }));
  await project.write({ 'frameworks/tasks.jsonl': tasks.join('\n') });
  // A real model writes expressions that are none.
  await project.edit('frameworks/calculator.py', 'return str(eval(expression))', tolerant);
  await project.edit('frameworks.yaml', 'ajet:', lengths);
  await project.edit('frameworks.yaml', '  rollout:', limits);
  await project.edit('frameworks.yaml', 'debug_first_n_tasks: 10', `debug_first_n_tasks: ${names.length}`);
  const python = await ensurePython(environment);
  const { episodes } = await checkedRun(project, ['--conf', 'frameworks.yaml', '--python', python]);
  expect(episodes.filter(({ llmCalls }) => llmCalls === 0)).toEqual([]);
  expect(episodes.map(({ taskId }) => taskId).sort()).toEqual([...names].sort());
});

const tolerant = `try:
        return str(eval(expression))
    except Exception as error:
        return str(error)`;
