import { BadRequestError } from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { ModelFailureError, type ModelReply } from '../../../../../src/backbone/core/model-tuner/model.ts';
import { chatRequest, chunkOf, completionOf, saying, streamOf } from '../tunerBench.ts';
import { apiBench, asInput, calling, thinking, toolCall } from './apiBench.ts';

const ask = { model: 'any', input: 'hello' };
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: null,
};

describe('a response', () => {
  it('is the answer to one message, with the usage', async () => {
    const { openai, bench } = await apiBench();
    const response = await openai.responses.create({ ...ask, instructions: 'Be brief.' });
    expect(bench.asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ]);
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'hi',
      instructions: 'Be brief.',
      model: 'm',
      temperature: 0.9,
      error: null,
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'hi' }],
        },
      ],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    });
    expect(response.id).toMatch(/^resp_[0-9a-f]{20}$/);
    expect(bench.episode.llmCalls).toBe(1);
  });

  it('calls functions, several at a time, and goes on with their outputs', async () => {
    const replies = [
      calling(
        'Let me look.',
        toolCall('c1', 'weather', '{"city": "Rome"}'),
        toolCall('c2', 'weather', '{"city": "Oslo"}'),
      ),
      saying('Warm and cold.'),
    ];
    const { openai, bench } = await apiBench(
      (_request, _cancellation, { call }) => replies[call] ?? saying('?'),
    );
    const input: ResponseInput = [{ role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }];
    const first = await openai.responses.create({ ...ask, input, tools: [weather], tool_choice: 'auto' });
    expect(first.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call']);
    input.push(...asInput(first.output));
    for (const item of first.output) {
      if (item.type === 'function_call')
        input.push({ type: 'function_call_output', call_id: item.call_id, output: item.arguments });
    }
    const second = await openai.responses.create({ ...ask, input, tools: [weather] });
    expect(second.output_text).toBe('Warm and cold.');
    expect(bench.asked[1]?.tools).toEqual([
      {
        type: 'function',
        function: { name: 'weather', description: 'Of a city', parameters: weather.parameters },
      },
    ]);
    expect(bench.asked[1]?.messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          toolCall('c1', 'weather', '{"city": "Rome"}'),
          toolCall('c2', 'weather', '{"city": "Oslo"}'),
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"city": "Rome"}' },
      { role: 'tool', tool_call_id: 'c2', content: '{"city": "Oslo"}' },
    ]);
  });

  it('goes on from an earlier one, without its instructions', async () => {
    const { openai, bench } = await apiBench((_request, _cancellation, { call }) => saying(`answer ${call}`));
    const first = await openai.responses.create({ ...ask, instructions: 'Once.' });
    const second = await openai.responses.create({ ...ask, input: 'and?', previous_response_id: first.id });
    await openai.responses.create({ ...ask, input: 'so?', previous_response_id: second.id });
    const texts = bench.asked[2]?.messages.map(({ role, content }) => [role, content]);
    expect(texts).toEqual([
      ['user', 'hello'],
      ['assistant', 'answer 0'],
      ['user', 'and?'],
      ['assistant', 'answer 1'],
      ['user', 'so?'],
    ]);
    expect(bench.logged.filter((line) => line.includes('previous_response_id'))).toHaveLength(1);
  });

  it('is not gone on from where it was not to be stored, or is of another episode', async () => {
    const { openai, bench } = await apiBench();
    const unstored = await openai.responses.create({ ...ask, store: false });
    const stored = await openai.responses.create(ask);
    const next = openai.responses.create({ ...ask, previous_response_id: unstored.id });
    await expect(next).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
    const other = bench.gateway.openEpisode({
      episodeUuid: 'ff'.repeat(16),
      episode: 6,
      seed: 1,
      address: '',
    });
    const apiKey = other.apiKeyFor({ agentName: 'a', targetTag: 't' });
    const foreign = openai
      .withOptions({ apiKey })
      .responses.create({ ...ask, previous_response_id: stored.id });
    await expect(foreign).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('tells thoughts as an item of their own, and takes them back', async () => {
    const { openai, bench } = await apiBench(() => thinking('Hm.', 'Yes.'));
    const first = await openai.responses.create(ask);
    expect(first.output).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message' },
    ]);
    await openai.responses.create({
      ...ask,
      input: [...asInput(first.output), { role: 'user', content: 'Why?' }],
    });
    expect(bench.asked[1]?.messages).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
      { role: 'user', content: 'Why?' },
    ]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that ended by %s is incomplete by %s', async (finish_reason, reason) => {
    const { openai } = await apiBench(() => ({
      kind: 'completion',
      completion: completionOf('a', { finish_reason }),
    }));
    expect(await openai.responses.create(ask)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason },
      output: [{ status: 'incomplete' }],
    });
  });

  it('has log probabilities only where they are asked for', async () => {
    const content = [{ token: 'hi', logprob: -0.5, bytes: [104, 105], top_logprobs: [] }];
    const completion = completionOf('hi', { logprobs: { content, refusal: null } });
    const { openai } = await apiBench(() => ({ kind: 'completion', completion }));
    const part = async (more: Partial<ResponseCreateParamsNonStreaming>) => {
      const [item] = (await openai.responses.create({ ...ask, ...more })).output;
      return item?.type === 'message' ? item.content[0] : undefined;
    };
    expect(await part({})).toMatchObject({ text: 'hi', logprobs: [] });
    expect(await part({ include: ['message.output_text.logprobs'] })).toMatchObject({ logprobs: content });
  });

  it('keeps pictures, custom tools, the choice among tools and the format of the answer for models that have them', async () => {
    const { openai, bench } = await apiBench();
    await openai.responses.create({
      ...ask,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
          ],
        },
        { type: 'custom_tool_call', call_id: 'c', name: 'sql', input: 'select 1' },
        { type: 'custom_tool_call_output', call_id: 'c', output: '1' },
      ],
      tools: [
        {
          type: 'custom',
          name: 'sql',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
      ],
      tool_choice: { type: 'function', name: 'f' },
      text: { format: { type: 'json_schema', name: 's', schema: { type: 'object' } } },
      max_output_tokens: 7,
      reasoning: { effort: 'low' },
    });
    expect(bench.asked[0]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'sql', input: 'select 1' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '1' },
    ]);
    expect(bench.asked[0]?.tools).toEqual([
      {
        type: 'custom',
        custom: {
          name: 'sql',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
        },
      },
    ]);
    const told = ['tool_choice', 'response_format', 'max_completion_tokens', 'reasoning', 'Responses API'];
    for (const option of told) expect(bench.logged.filter((line) => line.includes(option))).toHaveLength(1);
  });
});

describe('a streamed response', () => {
  async function eventsOf(reply: ModelReply, more: object = {}) {
    const { openai } = await apiBench(() => reply);
    const events = [];
    for await (const event of await openai.responses.create({ ...ask, ...more, stream: true }))
      events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    return events;
  }

  it('has the events of OpenAI, in their order', async () => {
    const events = await eventsOf(
      calling('two words', toolCall('c1', 'f', '{"a": 1}'), toolCall('c2', 'g', '{}')),
    );
    const types = events.map(({ type }) => type.replace('response.', ''));
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    );
    expect(deltas).toEqual(['two', ' words']);
    expect(events.at(-1)).toMatchObject({
      response: {
        status: 'completed',
        usage: { input_tokens: 3, output_tokens: 2 },
        output: [
          { type: 'message', content: [{ text: 'two words' }] },
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a": 1}' },
          { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
        ],
      },
    });
  });

  it('is put together by the client as the whole one, and can be gone on from', async () => {
    const reply = thinking('Hm, hm.', 'Two words.');
    const { openai, bench } = await apiBench(() => reply);
    const whole = await openai.responses.create(ask);
    const streamed = await openai.responses.stream(ask).finalResponse();
    const types = ({ output }: typeof whole): string[] => output.map(({ type }) => type);
    expect(types(streamed)).toEqual(types(whole));
    expect(streamed.output_text).toBe(whole.output_text);
    await openai.responses.create({ ...ask, previous_response_id: streamed.id });
    expect(bench.asked[2]?.messages[1]).toMatchObject({
      content: 'Two words.',
      reasoning_content: 'Hm, hm.',
    });
  });

  it('tells a refusal, and what was cut', async () => {
    const message = { role: 'assistant' as const, content: null, refusal: 'No, no.' };
    const completion = completionOf(null, { message, finish_reason: 'length' });
    const events = await eventsOf({ kind: 'completion', completion });
    expect(events.some(({ type }) => type === 'response.refusal.done')).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { output: [{ status: 'incomplete', content: [{ refusal: 'No, no.' }] }] },
    });
  });

  it('throws in the client when it fails in the middle', async () => {
    const error = { message: 'gone', type: 'server_error', param: null, code: 'endpoint_cut_off' };
    const fails = (): Promise<void> => Promise.reject(new ModelFailureError({ status: 502, error }));
    const { openai, bench } = await apiBench(() => ({
      kind: 'stream',
      chunks: streamOf([chunkOf({ content: 'a' })], fails),
    }));
    const stream = await openai.responses.create({ ...ask, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).not.toBe('response.completed');
    };
    await expect(read()).rejects.toMatchObject({
      code: 'endpoint_cut_off',
      message: expect.stringContaining('gone') as string,
    });
    expect(bench.calls).toMatchObject([{ status: 502 }]);
  });

  it('fails where fragments of calls are mixed', async () => {
    const fragment = (index: number, id?: string) =>
      chunkOf({
        tool_calls: [{ index, ...(id !== undefined && { id }), function: { name: 'f', arguments: '{' } }],
      });
    const { openai } = await apiBench(() => ({
      kind: 'stream',
      chunks: streamOf([fragment(0, 'a'), fragment(1, 'b'), fragment(0)]),
    }));
    const stream = await openai.responses.create({ ...ask, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event).toBeDefined();
    };
    await expect(read()).rejects.toMatchObject({ code: 'mixed_tool_calls' });
  });
});

describe('an option of chat completions', () => {
  it('takes the place of none that the API has', async () => {
    const { bench } = await apiBench();
    const body = { ...ask, messages: [{ role: 'user', content: 'other' }], max_completion_tokens: 1, n: 2 };
    await bench.gateway.handle(chatRequest(bench, body, { path: '/v1/responses' }));
    expect(bench.asked[0]?.messages).toEqual([{ role: 'user', content: 'hello' }]);
  });
});

describe('what chat completions have no word for', () => {
  it.each<[object, string, string]>([
    [{ background: true }, 'background', 'wait for the response'],
    [{ conversation: 'conv_1' }, 'conversation', 'Send its items'],
    [{ prompt: { id: 'p' } }, 'prompt', 'Send the prompt as input'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0]', 'the built-in tool "web_search"'],
    [{ tool_choice: { type: 'file_search' } }, 'tool_choice', 'the built-in tool "file_search"'],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, 'input[0]', 'Send the item itself'],
    [{ input: [{ type: 'web_search_call', id: 'x' }] }, 'input[0]', 'of type "web_search_call"'],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] },
      'input[0].content[0]',
      'must contain image_url',
    ],
    [
      {
        input: [
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'u' }] },
        ],
      },
      'input[0].output',
      'a tool message',
    ],
    [{ input: undefined }, 'input', 'is missing'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role', 'must be one of'],
    [{ input: [{ role: 'user', content: 3 }] }, 'input[0].content', 'must be an array'],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '' }] }, 'input[0].call_id', 'is missing'],
    [{ max_output_tokens: 0 }, 'max_completion_tokens', 'at least 1'],
    [{ input: [] }, 'messages', 'must not be empty'],
  ])('is refused: %j', async (more, param, told) => {
    const { openai, bench } = await apiBench();
    const thrown = await openai.responses
      .create({ ...ask, ...more } as never)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(BadRequestError);
    expect(thrown).toMatchObject({ param, type: 'invalid_request_error' });
    expect((thrown as Error).message).toContain(told);
    expect(bench.asked).toEqual([]);
  });

  it('is refused in the shape of the API at paths and keys, too', async () => {
    const { bench } = await apiBench();
    const reply = await bench.gateway.handle(chatRequest(bench, 'no json', { path: '/v1/responses' }));
    expect(JSON.parse(reply.body as string)).toMatchObject({ error: { code: 'invalid_json' } });
    const got = await bench.gateway.handle(
      chatRequest(bench, '', { path: '/v1/responses/resp_1', method: 'GET' }),
    );
    expect(got.status).toBe(404);
  });
});
