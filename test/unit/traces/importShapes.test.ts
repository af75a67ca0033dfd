/** Shapes of formats whose tools cannot be run here: by their documented fields. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './folder.ts';
import { importedTrace } from './import.ts';

function fileOf(name: string, value: unknown): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, JSON.stringify(value, undefined, 2));
  return file;
}

type Attributes = Readonly<Record<string, string | number>>;

function span(id: string, attributes: Attributes, changes: object = {}): object {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: id.padStart(16, '0'),
    name: 'a span',
    startTimeUnixNano: '1790000000000000000',
    endTimeUnixNano: '1790000001500000000',
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
    })),
    ...changes,
  };
}

async function importedSpans(...spans: readonly object[]) {
  return importedTrace(fileOf('spans.json', { resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

describe('a trajectory of AgentJet', () => {
  it('is an episode whose timelines have messages, a reward and a success', async () => {
    const value = {
      task_id: 'task-7',
      task_tag: 'half_success',
      reward_structure: { raw_reward: 0.5, step_reward_arr: [0.5], success_rate: 0 },
      traj: [
        [
          { role: 'system', content: 'Count.' },
          { role: 'user', content: 'How many?' },
          { role: 'assistant', content: 'It is 5.' },
        ],
        [
          { role: 'user', content: 'Sure?' },
          { role: 'assistant', content: 'Yes.' },
        ],
      ],
    };
    const reader = await importedTrace(fileOf('task-7.json', value));
    const [row] = reader.read((views) => views.episodes(0, 9)).rows;
    expect(row).toMatchObject({
      taskId: 'task-7',
      reward: 0.5,
      isSuccess: false,
      timelines: 2,
      calls: 0,
      trains: null,
    });
    expect(
      reader.read((views) => views.conversations.ofTimeline(0, 0)).map(({ author, text }) => [author, text]),
    ).toEqual([
      ['env', 'Count.'],
      ['env', 'How many?'],
      ['llm', 'It is 5.'],
    ]);
    expect(reader.read((views) => views.run()).imported?.lacks).toEqual(
      expect.arrayContaining(['calls', 'tokens', 'lossMask', 'times']),
    );
  });
});

describe('a log of OpenAI requests', () => {
  const entry = (token: string, logprob: number, id?: number): object => ({
    token,
    logprob,
    ...(id && { id }),
  });
  const record = (choice: object): object => ({
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    response: { choices: [{ message: { role: 'assistant', content: 'Hi!' }, ...choice }] },
  });

  it.each<[string, object]>([
    [
      'of vLLM',
      { token_ids: [5, 6, 7], logprobs: { content: [entry('H', -1), entry('i', -2), entry('!', -3)] } },
    ],
    [
      'with tokens spelled by their ids',
      { logprobs: { content: [entry('token_id:5', -1), entry('token_id:6', -2), entry('token_id:7', -3)] } },
    ],
    ['of llama.cpp', { logprobs: { content: [entry('H', -1, 5), entry('i', -2, 6), entry('', -3, 7)] } }],
  ])('%s brings the ids and log probabilities of its tokens', async (_, choice) => {
    const reader = await importedTrace(fileOf('log.json', [record(choice)]));
    const { reply } = reader.read((views) => views.call(0, 0));
    expect(reply).toMatchObject({ text: 'Hi!', tokens: 3 });
    const tokens = reader.read((views) => views.tokens.window(0, 0, 0, 9));
    expect(tokens.logprobs.slice(-3)).toEqual([-1, -2, -3]);
    expect(tokens.ids.slice(-3)).toEqual([5, 6, 7]);
  });
});

describe('a recording of LLM calls', () => {
  it('is not a trace, and the error names the option that replays it', async () => {
    const header = {
      format: 'agentjet-recording',
      version: 1,
      createdAt: '2026-11-22T07:14:06Z',
      config: 'a.yaml',
      model: 'm',
    };
    const file = path.join(temporaryFolder(), 'calls.jsonl');
    writeFileSync(file, `${JSON.stringify(header)}\n`);
    await expect(importedTrace(file)).rejects.toMatchObject({
      code: 'import/recording',
      hint: expect.stringContaining(`--replay ${file}`) as string,
    });
  });
});

describe('spans', () => {
  it('with messages in numbered attributes are calls, rewards of agent-lightning are their episode’s', async () => {
    const call = {
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Add.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': 'What?',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.finish_reason': 'tool_calls',
      'gen_ai.completion.0.tool_calls.0.id': 'c1',
      'gen_ai.completion.0.tool_calls.0.name': 'add',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"a":1}',
      'gen_ai.usage.prompt_tokens': 9,
      'gen_ai.usage.completion_tokens': 3,
    };
    const reader = await importedSpans(
      span('1', {}),
      span('2', call, { parentSpanId: '0000000000000001' }),
      span('3', { 'agentlightning.reward.0.value': 0.75 }, { parentSpanId: '0000000000000001' }),
    );
    expect(reader.read((views) => views.episodes(0, 9)).rows).toMatchObject([
      { reward: 0.75, calls: 1, seconds: 1.5 },
    ]);
    expect(reader.read((views) => views.call(0, 0))).toMatchObject({
      row: { promptTokens: 9, replyTokens: 3, finishReason: 'tool_calls', seconds: 1.5 },
      messages: [
        { role: 'system', text: 'Add.' },
        { role: 'user', text: 'What?' },
      ],
      reply: { role: 'assistant', toolCalls: expect.stringContaining('"name":"add"') as string },
    });
  });

  it('of OpenInference are calls, its other kinds are not', async () => {
    const reader = await importedSpans(
      span('1', { 'openinference.span.kind': 'CHAIN', 'llm.input_messages.0.message.role': 'user' }),
      span('2', {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'a-model',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'What?',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'add',
        'llm.token_count.prompt': 5,
      }),
    );
    expect(reader.read((views) => views.run())).toMatchObject({ model: 'a-model', totals: { calls: 1 } });
    expect(reader.read((views) => views.call(0, 0))).toMatchObject({
      messages: [{ text: 'What?' }],
      row: { promptTokens: 5 },
    });
  });

  it('with the messages in an event, evaluations and errors', async () => {
    const event = (name: string, values: Attributes): object => {
      const attributes = Object.entries(values).map(([key, value]) => ({
        key,
        value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
      }));
      return { name, attributes };
    };
    const messages = [
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'See ' },
          { type: 'image', data: 'AAAA' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { a: 1 } }] },
    ];
    const reader = await importedSpans(
      span(
        '1',
        { 'gen_ai.operation.name': 'invoke_agent' },
        {
          events: [
            event('gen_ai.evaluation.result', {
              'gen_ai.evaluation.name': 'reward',
              'gen_ai.evaluation.score.value': 0.5,
            }),
          ],
        },
      ),
      span(
        '2',
        { 'gen_ai.operation.name': 'chat' },
        {
          parentSpanId: '0000000000000001',
          status: { code: 2, message: 'too many requests' },
          events: [
            event('gen_ai.client.inference.operation.details', {
              'gen_ai.input.messages': JSON.stringify(messages),
            }),
          ],
        },
      ),
    );
    expect(reader.read((views) => views.episodes(0, 9)).rows).toMatchObject([{ reward: 0.5, error: null }]);
    expect(reader.read((views) => views.call(0, 0))).toMatchObject({
      row: { error: 'too many requests', timeline: null },
      messages: [
        { role: 'user', text: 'See [image]' },
        { role: 'tool', text: '{"a":1}', toolCallId: 'c1' },
      ],
      reply: null,
    });
  });

  it('of a conversation are one episode, whose calls have the agents of their parents', async () => {
    const turn = (trace: string, question: string): readonly object[] => {
      const changes = (parent?: string): object => ({
        traceId: trace.padStart(32, '0'),
        ...(parent !== undefined && { parentSpanId: parent.padStart(16, '0') }),
      });
      const agent = (name: string): Attributes => ({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.conversation.id': 'conversation-1',
      });
      const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt.0.content': question };
      // The end of a span writes it: children come first.
      return [
        span('4', chat, changes('3')),
        span('3', agent('Helper'), changes('1')),
        span('2', chat, changes('1')),
        span('1', agent('Friday'), changes()),
      ];
    };
    const reader = await importedSpans(...turn('1', 'Hello'), ...turn('2', 'And now?'));
    expect(reader.read((views) => views.episodes(0, 9)).rows).toMatchObject([{ calls: 4 }]);
    const agents = [0, 1, 2, 3].map((call) => reader.read((views) => views.call(0, call)).row.agent);
    expect(agents).toEqual(['Helper', 'Friday', 'Helper', 'Friday']);
  });

  it('of tools give tool calls their time and error', async () => {
    const at = (from: number, to: number): object => ({
      startTimeUnixNano: `${from}000000`,
      endTimeUnixNano: `${to}000000`,
    });
    const tool = (name: string): Attributes => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
    });
    const asks = [
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'add', arguments: {} }] },
    ];
    const answer = [{ role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '3' }] }];
    const chat = { 'gen_ai.operation.name': 'chat' };
    const reader = await importedSpans(
      span('1', { ...chat, 'gen_ai.output.messages': JSON.stringify(asks) }, at(1_000, 2_000)),
      span('2', tool('add'), { ...at(2_100, 2_350), status: { code: 2, message: 'too large' } }),
      span('3', tool('search'), at(2_400, 2_500)),
      span('4', { ...chat, 'gen_ai.input.messages': JSON.stringify([...asks, ...answer]) }, at(3_000, 4_000)),
    );
    expect(reader.read((views) => views.spans(0)).spans).toMatchObject([
      {
        kind: 'tool',
        name: 'add',
        call: 0,
        answeredBy: 1,
        startedAt: 2_100,
        seconds: 0.25,
        error: 'too large',
      },
      { kind: 'tool', name: 'search', call: null, startedAt: 2_400, seconds: 0.1, state: 'ended' },
    ]);
  });

  it('whose parents form a circle are read', async () => {
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.prompt.0.content': 'Hello' };
    const reader = await importedSpans(
      span('1', chat, { parentSpanId: '0000000000000002' }),
      span('2', chat, { parentSpanId: '0000000000000001' }),
    );
    expect(reader.read((views) => views.episodes(0, 9)).rows).toMatchObject([{ calls: 2 }]);
  });

  it('of AgentScope are read by what it calls models with', async () => {
    const input = { args: [], kwargs: { messages: [{ role: 'user', content: 'Hello' }] } };
    const reader = await importedSpans(
      span('1', {
        'gen_ai.operation.name': 'chat',
        'agentscope.function.input': JSON.stringify(input),
        'agentscope.function.output': JSON.stringify({ content: [{ type: 'text', text: 'Hi.' }] }),
      }),
    );
    expect(reader.read((views) => views.call(0, 0))).toMatchObject({
      messages: [{ text: 'Hello' }],
      reply: { text: 'Hi.' },
    });
  });
});
