import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { calculation, boxed, complete, contentOf, request, toolCallOf } from './request.ts';

type Tool = NonNullable<ChatRequest['tools']>[number];

function tool(
  name: string,
  properties: Record<string, unknown>,
  description = '',
  required = Object.keys(properties),
): Tool {
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties, required } },
  };
}

const calculate = tool('calculate', { expression: { type: 'string' } }, 'Evaluates an expression');
const weather = tool(
  'get_weather',
  { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  'Weather of a city',
);
const python = tool(
  'execute_python_code',
  { code: { type: 'string' }, timeout: { type: 'number' } },
  'Runs Python',
  ['code'],
);

function afterTool(result: string, fields: Partial<ChatRequest> = {}): ChatRequest {
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: 'Answer in \\boxed{}.' },
    { role: 'user', content: calculation },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'calculate', arguments: '{"expression":"14 + 9 - 6"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: result },
  ];
  return request('', { messages, tools: [calculate], ...fields });
}

describe('choosing a tool', () => {
  it('sends the expression of the problem to a calculator', async () => {
    const completion = await complete(request(calculation, { tools: [weather, calculate] }));
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(toolCallOf(completion)).toEqual({ name: 'calculate', arguments: { expression: '14 + 9 - 6' } });
    expect(completion.choices[0]?.message.tool_calls?.[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
  });

  it('sends a program to a tool that runs code, in its language', async () => {
    const inPython = toolCallOf(await complete(request(calculation, { tools: [python] })));
    expect(inPython?.arguments).toEqual({ code: 'print(14 + 9 - 6)' });
    const node = tool('execute_code', { code: { type: 'string' } }, 'Runs JavaScript');
    expect(toolCallOf(await complete(request(calculation, { tools: [node] })))?.arguments).toEqual({
      code: 'console.log(14 + 9 - 6);',
    });
  });

  it('gives the operands to a tool for one operation', async () => {
    const add = tool('add', { a: { type: 'number' }, b: { type: 'number' } });
    expect(toolCallOf(await complete(request(calculation, { tools: [add] })))?.arguments).toEqual({
      a: 14,
      b: 9,
    });
  });

  it('takes the tool that fits the request, problem or not', async () => {
    const search = tool('search_web', { query: { type: 'string' } }, 'Searches the web');
    const call = toolCallOf(
      await complete(request('What is the weather in the city of Oslo like', { tools: [search, weather] })),
    );
    expect(call?.name).toBe('get_weather');
    const found = toolCallOf(
      await complete(request('Search the web for otters', { tools: [weather, search] })),
    );
    expect(found).toEqual({ name: 'search_web', arguments: { query: 'Search the web for otters' } });
  });

  it.each([
    ['required', 'get_weather'],
    [{ type: 'function', function: { name: 'get_weather' } }, 'get_weather'],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] },
      },
      'get_weather',
    ],
  ] as const)('honours tool_choice %j', async (choice, name) => {
    const tools = choice === 'required' ? [weather] : [calculate, weather];
    const body = afterTool('17', { tools, tool_choice: choice as NonNullable<ChatRequest['tool_choice']> });
    const completion = await complete(body);
    expect(toolCallOf(completion)?.name).toBe(name);
    expect(completion.choices[0]?.message.content).toBeNull();
  });

  it('calls nothing with tool_choice none', async () => {
    const completion = await complete(request(calculation, { tools: [calculate], tool_choice: 'none' }));
    expect(toolCallOf(completion)).toBeUndefined();
    expect(contentOf(completion)).toContain('17');
  });

  it('calls a custom tool with free text', async () => {
    const custom: Tool = { type: 'custom', custom: { name: 'calculator' } };
    const { choices } = await complete(request(calculation, { tools: [custom] }));
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      type: 'custom',
      custom: { name: 'calculator', input: '14 + 9 - 6' },
    });
  });

  it('calls a tool without parameters with an empty object', async () => {
    const ping: Tool = { type: 'function', function: { name: 'ping' } };
    expect(toolCallOf(await complete(request('ping it', { tools: [ping] })))?.arguments).toEqual({});
  });

  it('cuts the arguments when the tokens run out', async () => {
    const { choices } = await complete(
      request(calculation, { tools: [calculate], tool_choice: 'required', max_tokens: 4 }),
    );
    expect(choices[0]?.finish_reason).toBe('length');
  });

  it('puts its slips into the expression', async () => {
    const expressions = new Set<string>();
    for (let seed = 0; seed < 100; seed++) {
      const call = toolCallOf(
        await complete(request(calculation, { tools: [calculate], temperature: 1, seed })),
      );
      expressions.add((call?.arguments as { expression: string }).expression);
    }
    expect(expressions).toContain('14 + 9 - 6');
    expect(expressions.size).toBeGreaterThan(2);
  });
});

describe('after a tool result', () => {
  it('answers with what the tool returned, whatever that is', async () => {
    expect(boxed(contentOf(await complete(afterTool('17'))))).toBe('17');
    expect(boxed(contentOf(await complete(afterTool('{"return_code": "99.0\\n"}'))))).toBe('99');
    expect(boxed(contentOf(await complete(afterTool('1,250'))))).toBe('1250');
  });

  it('says so when the tool failed, and calculates by itself', async () => {
    for (const failure of ['Error: division by zero', 'Traceback (most recent call last): line 1', '']) {
      const text = contentOf(await complete(afterTool(failure)));
      expect(text).toContain('tool did not give a number');
      expect(boxed(text)).toBe('17');
    }
  });

  it('understands tool messages whose call is not in the conversation', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: `${calculation} Use \\boxed{}.` },
      { role: 'assistant', content: 'I will run code.' },
      { role: 'tool', tool_call_id: 'gone', content: '{"return_code": "17\\n"}' },
    ];
    expect(boxed(contentOf(await complete(request('', { messages }))))).toBe('17');
  });

  it('does not take the result of one operation for the answer', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: calculation },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":14,"b":9}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '23' },
    ];
    expect(contentOf(await complete(request('', { messages })))).toContain('answer is 17');
  });

  it('reports what a tool found for another kind of question', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'How is the weather in Oslo?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'w', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'w', content: 'light rain' },
    ];
    expect(contentOf(await complete(request('', { messages, tools: [weather] })))).toContain('light rain');
  });

  it('calls again after a new user message', async () => {
    const body = afterTool('17');
    body.messages.push(
      { role: 'assistant', content: '17' },
      { role: 'user', content: calculation.replaceAll('14', '20') },
    );
    expect(toolCallOf(await complete(body))?.arguments).toEqual({ expression: '20 + 9 - 6' });
  });
});
