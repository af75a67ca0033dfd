import Anthropic, { APIError, BadRequestError } from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { ModelFailureError, type ModelReply } from '../../../../../src/backbone/core/model-tuner/model.ts';
import { chatRequest, chunkOf, completionOf, saying, streamOf } from '../tunerBench.ts';
import { apiBench, calling, thinking, toolCall } from './apiBench.ts';

const ask = { model: 'any', max_tokens: 50, messages: [{ role: 'user' as const, content: 'hello' }] };
const weather = {
  name: 'weather',
  description: 'Of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};

describe('a message', () => {
  it('is the answer, with the usage', async () => {
    const { anthropic, bench } = await apiBench();
    const message = await anthropic.messages.create({ ...ask, system: 'Be brief.' });
    expect(bench.asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ]);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 2 },
    });
    expect(message.id).toMatch(/^msg_[0-9a-f]{20}$/);
    expect(bench.episode.llmCalls).toBe(1);
  });

  it('uses tools, several at a time, and goes on with their results and the very text that the model wrote', async () => {
    const replies = [
      calling(
        'Let me look.',
        toolCall('c1', 'weather', '{"city":  "Rome"}'),
        toolCall('c2', 'weather', '{"city": "Os'),
      ),
      saying('Warm and cold.'),
    ];
    const { anthropic, bench } = await apiBench(
      (_request, _cancellation, { call }) => replies[call] ?? saying('?'),
    );
    const messages: MessageParam[] = [{ role: 'user', content: 'Weather?' }];
    const first = await anthropic.messages.create({
      ...ask,
      messages,
      tools: [weather],
      tool_choice: { type: 'any' },
    });
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } },
      { type: 'tool_use', id: 'c2', name: 'weather', input: { INVALID_JSON: '{"city": "Os' } },
    ]);
    messages.push({ role: 'assistant', content: first.content });
    messages.push({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'warm' },
        {
          type: 'tool_result',
          tool_use_id: 'c2',
          content: [{ type: 'text', text: 'what?' }],
          is_error: true,
        },
        { type: 'text', text: 'Go on.' },
      ],
    });
    const second = await anthropic.messages.create({ ...ask, messages, tools: [weather] });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Warm and cold.' }]);
    expect(bench.asked[1]?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'weather', description: 'Of a city', parameters: weather.input_schema },
      },
    ]);
    expect(bench.asked[1]?.messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          toolCall('c1', 'weather', '{"city":  "Rome"}'),
          toolCall('c2', 'weather', '{"city": "Os'),
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'warm' },
      { role: 'tool', tool_call_id: 'c2', content: 'what?' },
      { role: 'user', content: 'Go on.' },
    ]);
    for (const told of ['tool_choice', 'is_error', 'Messages API']) {
      expect(bench.logged.filter((line) => line.includes(told))).toHaveLength(1);
    }
  });

  it('tells thoughts as a block of their own, and takes them back', async () => {
    const { anthropic, bench } = await apiBench(() => thinking('Hm.', 'Yes.'));
    const { content } = await anthropic.messages.create(ask);
    expect(content).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, { type: 'text' }]);
    await anthropic.messages.create({ ...ask, messages: [...ask.messages, { role: 'assistant', content }] });
    expect(bench.asked[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_content: 'Hm.',
    });
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ] as const)('that ended by %s stops for %s', async (finish_reason, stop_reason) => {
    const { anthropic } = await apiBench(() => ({
      kind: 'completion',
      completion: completionOf('a', { finish_reason }),
    }));
    expect(await anthropic.messages.create(ask)).toMatchObject({ stop_reason });
  });

  it('takes blocks, pictures and texts cut in several, as chat completions have them', async () => {
    const { anthropic, bench } = await apiBench();
    await anthropic.messages.create({
      ...ask,
      system: [
        { type: 'text', text: 'One.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Two.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            { type: 'image', source: { type: 'url', url: 'https://host/a.png' } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
      temperature: 0.1,
      top_k: 3,
      stop_sequences: ['x'],
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'low' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    } as never);
    expect(bench.asked[0]?.messages).toEqual([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'image_url', image_url: { url: 'https://host/a.png' } },
          { type: 'text', text: 'What is it?' },
        ],
      },
    ]);
    const told = [
      'temperature',
      'top_k',
      'stop ',
      'response_format',
      'reasoning_effort',
      'thinking',
      'max_tokens',
    ];
    for (const option of told) expect(bench.logged.filter((line) => line.includes(option))).toHaveLength(1);
  });
});

describe('a streamed message', () => {
  async function eventsOf(reply: ModelReply) {
    const { anthropic } = await apiBench(() => reply);
    const events = [];
    for await (const event of await anthropic.messages.create({ ...ask, stream: true })) events.push(event);
    return events;
  }

  it("has Anthropic's events, in their order", async () => {
    const events = await eventsOf(
      calling('two words', toolCall('c1', 'f', '{"a": 1}'), toolCall('c2', 'g', '{}')),
    );
    const told = events.map((event) => ('index' in event ? `${event.type} ${event.index}` : event.type));
    expect(told.filter((one, index) => one !== told[index - 1])).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_stop 2',
      'message_delta',
      'message_stop',
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 3, output_tokens: 2 },
    });
  });

  it('is put together by the client as the whole one', async () => {
    const replies = [
      thinking('Hm, hm.', 'Two words.'),
      calling(null, toolCall('c1', 'f', '{"a": [1, {"b": "é"}]}'), toolCall('c2', 'g', '{}')),
    ];
    for (const reply of replies) {
      const { anthropic } = await apiBench(() => reply);
      const whole = await anthropic.messages.create(ask);
      const streamed = await anthropic.messages.stream(ask).finalMessage();
      expect(streamed.content).toEqual(whole.content);
      expect(streamed.usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
      expect(streamed.stop_reason).toBe(whole.stop_reason);
    }
  });

  it('throws in the client when it fails in the middle', async () => {
    const error = { message: 'gone', type: 'server_error', param: null, code: 'endpoint_cut_off' };
    const fails = (): Promise<void> => Promise.reject(new ModelFailureError({ status: 502, error }));
    const { anthropic, bench } = await apiBench(() => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ content: 'a' })], fails),
    }));
    const stream = await anthropic.messages.create({ ...ask, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).not.toBe('message_stop');
    };
    await expect(read()).rejects.toThrow('gone');
    expect(bench.calls).toMatchObject([{ status: 502 }]);
  });
});

describe('the key of an episode', () => {
  it('may come either way, the bearer winning', async () => {
    const { bench, baseUrl } = await apiBench();
    const other = bench.episode.apiKeyFor({ agentName: 'other', targetTag: 'main' });
    const clients = [
      { apiKey: bench.apiKey, authToken: null },
      { apiKey: null, authToken: bench.apiKey },
    ];
    for (const keys of clients)
      await new Anthropic({ baseURL: baseUrl, maxRetries: 0, ...keys }).messages.create(ask);
    for (const authorization of [`Bearer ${bench.apiKey}`, 'Bearer of-somebody-else']) {
      const headers = { host: 'localhost', authorization, 'x-api-key': other };
      await bench.gateway.handle(chatRequest(bench, ask, { path: '/v1/messages', headers }));
    }
    expect(bench.calls.map(({ agentName }) => agentName)).toEqual(['solver', 'solver', 'solver', 'other']);
  });

  it.each(['/v1', ''])('is taken behind a base URL with %j at its end', async (end) => {
    const { bench, baseUrl } = await apiBench();
    const baseURL = baseUrl.replace(/\/v1$/, end);
    const client = new Anthropic({ baseURL, apiKey: bench.apiKey, authToken: null, maxRetries: 0 });
    expect((await client.messages.create(ask)).content).toMatchObject([{ text: 'hi' }]);
  });
});

describe('an answer that is none', () => {
  it.each([{}, { message: null }, { message: { content: ['?'], tool_calls: 'none' } }])(
    'such as %j, is answered all the same',
    async (choice) => {
      const completion = { ...completionOf('hi'), choices: [choice] } as unknown as ReturnType<
        typeof completionOf
      >;
      const { bench } = await apiBench(() => ({ kind: 'completion', completion }));
      for (const path of ['/v1/messages', '/v1/responses']) {
        const body = { ...ask, input: 'hello' };
        const reply = await bench.gateway.handle(chatRequest(bench, body, { path }));
        expect([200, 500]).toContain(reply.status);
        expect(JSON.parse(reply.body as string)).toBeTypeOf('object');
      }
      expect(bench.calls).toHaveLength(2);
    },
  );
});

describe('an error', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [504, 'timeout_error'],
  ])('with status %i is a %s', async (status, type) => {
    const error = { message: 'no', type: 't', param: null, code: 'c' };
    const { anthropic } = await apiBench(() => ({
      kind: 'error',
      status,
      error,
      headers: { 'retry-after': '7' },
    }));
    const thrown = await anthropic.messages.create(ask).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(APIError);
    expect(thrown).toMatchObject({ status, error: { type: 'error', error: { type, message: 'no' } } });
    expect((thrown as APIError).headers?.get('retry-after')).toBe('7');
  });

  it('of a key or a path has the shape of the API, too', async () => {
    const { bench } = await apiBench();
    const shapes: [number, object][] = [
      [404, { path: '/v1/messages/batches', method: 'GET' }],
      [405, { path: '/v1/v1/messages', method: 'GET' }],
      [401, { path: '/v1/messages', headers: { host: 'localhost' } }],
      [403, { path: '/messages', headers: { host: 'evil.example' } }],
      [400, { path: '/v1/messages', body: '{' }],
    ];
    for (const [status, changes] of shapes) {
      const reply = await bench.gateway.handle(chatRequest(bench, '', changes));
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.body as string)).toMatchObject({
        type: 'error',
        error: { type: expect.any(String) as string },
      });
    }
  });

  const user = (...content: object[]): object => ({ messages: [{ role: 'user', content }] });

  it.each<[object, string]>([
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, `'tools[0]' is the built-in tool`],
    [{ tools: [{ name: 'f' }] }, `'tools[0].input_schema' is missing`],
    [{ tool_choice: { type: 'some' } }, `'tool_choice.type' must be one of`],
    [{ mcp_servers: [{ type: 'url', url: 'u', name: 'n' }] }, `'mcp_servers' needs`],
    [{ container: 'c' }, `'container' needs`],
    [user({ type: 'document', source: {} }), `'messages[0].content[0]' is a block of type`],
    [
      user({ type: 'image', source: { type: 'file', file_id: 'f' } }),
      `'messages[0].content[0].source' must contain`,
    ],
    [
      user({ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'image', source: {} }] }),
      `'messages[0].content[0].content[0]' is not text`,
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'redacted_thinking', data: '' }] }] },
      'redacted_thinking',
    ],
    [{ messages: [{ role: 'robot', content: '' }] }, `'messages[0].role' must be one of`],
    [{ messages: [] }, `'messages' must not be empty`],
    [{ messages: undefined }, `'messages' is missing`],
    [{ temperature: 'hot' }, `'temperature' must be a number`],
  ])('tells what chat completions have no word for: %j', async (more, told) => {
    const { anthropic, bench } = await apiBench();
    const thrown = await anthropic.messages
      .create({ ...ask, ...more } as never)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(BadRequestError);
    expect((thrown as Error).message).toContain(told);
    expect(bench.asked).toEqual([]);
  });
});
