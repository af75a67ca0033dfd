import { describe, expect, it } from 'vitest';
import { checkChatRequest, parseBody } from '../../../../src/backbone/core/model-tuner/requestSchema.ts';

const user = { role: 'user', content: 'hi' };

function read(value: unknown): ReturnType<typeof checkChatRequest> {
  return checkChatRequest(JSON.parse(JSON.stringify(value)));
}

function refusal(value: unknown): { message: string; param: string | null } {
  const result = read(value);
  if (!('failure' in result)) throw new Error('was accepted');
  expect(result.failure.status).toBe(400);
  expect(result.failure.error.type).toBe('invalid_request_error');
  return result.failure.error;
}

describe('a chat request', () => {
  it('comes through untouched, unknown fields included', () => {
    const request = {
      model: 'x',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', cache: true }] },
        { role: 'developer', content: 'd' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }], name: 'n' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c2', type: 'custom', custom: { name: 'g', input: 'x' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: '1' }] },
        { role: 'function', name: 'f', content: null },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } },
        { type: 'custom', custom: { name: 'g' } },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } },
      n: 128,
      stop: ['a', 'b'],
      logprobs: true,
      top_logprobs: 20,
      seed: -3,
      top_k: 4,
      chat_template_kwargs: { enable_thinking: false },
    };
    expect(read(request)).toEqual({ request });
  });

  it.each(['none', 'auto', 'required'])('may choose tools by the word %s', (tool_choice) => {
    expect(read({ messages: [user], tool_choice })).toHaveProperty('request');
  });

  it('takes null for what is optional, and needs no model', () => {
    const request = { messages: [user], tools: null, n: null, stream: null, stop: null, temperature: null };
    expect(read(request)).toEqual({ request });
  });

  it.each<[unknown, string, string]>([
    [3, 'body', "'body' must be an object, not 3. Correct the request."],
    [{}, 'messages', "'messages' is missing. Correct the request."],
    [{ messages: [] }, 'messages', "'messages' must not be empty. Correct the request."],
    [{ messages: [user, 7] }, 'messages[1]', "'messages[1]' must be an object, not 7. Correct the request."],
    [
      { messages: [{ role: 'bot', content: '' }] },
      'messages[0].role',
      `'messages[0].role' must be one of "system", "developer", "user", "assistant", "tool", "function". Correct the request.`,
    ],
    [
      { messages: [{ role: 'user', content: 3 }] },
      'messages[0].content',
      "'messages[0].content' must be a string or an array. Correct the request.",
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages[0].content[0].text',
      "'messages[0].content[0].text' must be a string. Correct the request.",
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 4 }] }] },
      'messages[0].content[0].type',
      "'messages[0].content[0].type' must be a string, not 4. Correct the request.",
    ],
    [
      { messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].tool_call_id',
      "'messages[0].tool_call_id' is missing. Correct the request.",
    ],
    [
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }] },
        ],
      },
      'messages[0].tool_calls[0].function.arguments',
      "'messages[0].tool_calls[0].function.arguments' is missing. Correct the request.",
    ],
    [{ messages: [user], n: 0 }, 'n', "'n' must be at least 1. Correct the request."],
    [{ messages: [user], n: 129 }, 'n', "'n' must be at most 128. Correct the request."],
    [{ messages: [user], n: 1.5 }, 'n', "'n' must be a whole number, not 1.5. Correct the request."],
    [
      { messages: [user], stream: 'yes' },
      'stream',
      "'stream' must be a boolean, not a string. Correct the request.",
    ],
    [
      { messages: [user], tools: [{ type: 'function', function: { name: '' } }] },
      'tools[0].function.name',
      "'tools[0].function.name' must not be empty. Correct the request.",
    ],
    [
      { messages: [user], tool_choice: 'maybe' },
      'tool_choice',
      `'tool_choice' must be "none" or "auto" or "required" or an object. Correct the request.`,
    ],
    [
      { messages: [user], response_format: { type: 'json_schema' } },
      'response_format.json_schema',
      "'response_format.json_schema' is missing. Correct the request.",
    ],
    [{ messages: [user], stop: [1] }, 'stop[0]', "'stop[0]' must be a string, not 1. Correct the request."],
  ])('is refused: %j', (value, param, message) => {
    expect(refusal(value)).toMatchObject({ param, message });
  });

  it('is refused when it is no JSON', () => {
    const result = parseBody('{"messages": ');
    expect(result).toMatchObject({ failure: { status: 400, error: { code: 'invalid_json' } } });
  });
});
