/** What an agent's calls become in training does not depend on the API that it speaks. */
import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { trackerReply, trackerRequest } from '../../../../../src/backbone/core/context-tracker/tracedCall.ts';
import type { ModelReply } from '../../../../../src/backbone/core/model-tuner/model.ts';
import { createModelFetch } from '../../../../../src/backbone/node/model-tuner/modelServer.ts';
import { fuzz } from '../../../fuzz.ts';
import { Episode } from '../../../tracking/episode.ts';
import { completionOf, tunerBench, type Bench } from '../tunerBench.ts';
import { asInput, toolCall } from './apiBench.ts';

interface Turn {
  readonly user: string;
  /** What the model says; all but the last call tools. */
  readonly replies: readonly { readonly content: string; readonly calls: readonly string[] }[];
  readonly stream: boolean;
}

interface Conversation {
  readonly system: string;
  readonly turns: readonly Turn[];
}

const parameters = { type: 'object', properties: { a: { type: 'number' } } };
const description = 'Adds up';

const text = fc
  .array(fc.constantFrom('a', ' b', ' c1', '\n', '.', ' é', '{}'), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(''));
const written = fc.constantFrom(
  '{}',
  '',
  '{"a": 1}',
  '{"a":1}',
  '{ "a" : [ 1, {"b": "é"} ] }',
  '{"b":2,"a":1}',
);
const saying = fc.record({ content: fc.oneof(text, fc.constant('')), calls: fc.constant([] as string[]) });
const calling = fc.record({
  content: fc.oneof(text, fc.constant('')),
  calls: fc.array(written, { minLength: 1, maxLength: 3 }),
});
const turn = fc
  .record({ user: text, loop: fc.array(calling, { maxLength: 2 }), last: saying, stream: fc.boolean() })
  .map(({ user, loop, last, stream }): Turn => ({ user, replies: [...loop, last], stream }));
const conversation = fc.record({ system: text, turns: fc.array(turn, { minLength: 1, maxLength: 3 }) });

/** The replies in the order in which they are asked for; ids of calls are unique. */
function repliesOf({ turns }: Conversation): ModelReply[] {
  let calls = 0;
  return turns.flatMap(({ replies }) =>
    replies.map(({ content, calls: wanted }): ModelReply => {
      const tool_calls = wanted.map((args) => toolCall(`call_${calls++}`, 'add', args));
      const message = {
        role: 'assistant' as const,
        content: content === '' && tool_calls.length > 0 ? null : content,
        refusal: null,
        ...(tool_calls.length > 0 && { tool_calls }),
      };
      const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop';
      return { kind: 'completion', completion: completionOf(content, { message, finish_reason }) };
    }),
  );
}

type Speak = (bench: Bench, conversation: Conversation) => Promise<void>;

function optionsOf(bench: Bench) {
  const fetch = createModelFetch(bench.gateway.handle);
  return { baseURL: 'http://127.0.0.1:1/v1', apiKey: bench.apiKey, maxRetries: 0, fetch };
}

const overChat: Speak = async (bench, { system, turns }) => {
  const { completions } = new OpenAI(optionsOf(bench)).chat;
  const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: system }];
  const tools = [{ type: 'function' as const, function: { name: 'add', description, parameters } }];
  for (const { user, stream } of turns) {
    messages.push({ role: 'user', content: user });
    for (;;) {
      const request = { model: 'm', messages, tools };
      const completion = stream
        ? await completions.stream(request).finalChatCompletion()
        : await completions.create(request);
      const message = completion.choices[0]?.message;
      if (message === undefined) throw new Error('no choice');
      messages.push(message);
      const calls = message.tool_calls ?? [];
      for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: `of ${id}` });
      if (calls.length === 0) break;
    }
  }
};

function overResponses(isStored: boolean): Speak {
  return async (bench, { system, turns }) => {
    const { responses } = new OpenAI(optionsOf(bench));
    const tools = [{ type: 'function' as const, name: 'add', description, parameters, strict: null }];
    let input: ResponseInput = [];
    let previous: string | undefined;
    for (const { user, stream } of turns) {
      input.push({ role: 'user', content: user });
      for (;;) {
        const earlier = isStored && previous !== undefined ? { previous_response_id: previous } : {};
        const request = { model: 'm', instructions: system, input, tools, ...earlier };
        const response = stream
          ? await responses.stream(request).finalResponse()
          : await responses.create(request);
        previous = response.id;
        input = isStored ? [] : [...input, ...asInput(response.output)];
        const calls = response.output.flatMap((item) =>
          item.type === 'function_call' ? [item.call_id] : [],
        );
        for (const call_id of calls) {
          input.push({ type: 'function_call_output', call_id, output: `of ${call_id}` });
        }
        if (calls.length === 0) break;
      }
    }
  };
}

const overMessages: Speak = async (bench, { system, turns }) => {
  const { messages: api } = new Anthropic({ ...optionsOf(bench), authToken: null });
  const tools = [{ name: 'add', description, input_schema: parameters as { type: 'object' } }];
  const messages: MessageParam[] = [];
  for (const { user, stream } of turns) {
    messages.push({ role: 'user', content: user });
    for (;;) {
      const request = { model: 'm', max_tokens: 4080, system, messages, tools };
      const message = stream ? await api.stream(request).finalMessage() : await api.create(request);
      messages.push({ role: 'assistant', content: message.content });
      const results = message.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `of ${block.id}` }]
          : [],
      );
      if (results.length === 0) break;
      messages.push({ role: 'user', content: results });
    }
  }
};

async function timelinesOf(speak: Speak, conversation: Conversation): Promise<unknown> {
  const replies = repliesOf(conversation);
  const bench = tunerBench((_request, _cancellation, { call }) => {
    const reply = replies[call];
    if (reply === undefined) throw new Error(`no reply ${call}`);
    return reply;
  });
  await speak(bench, conversation);
  expect(bench.calls.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const episode = new Episode({ merging: { compareLevel: 'text', ignoreTools: false } });
  const calls = bench.calls.map((call) => {
    const { messages, tools } = trackerRequest(call);
    return episode.call(messages, trackerReply(call), tools);
  });
  const { timelines, tracking } = episode.end();
  return { calls, timelines, problems: tracking.problems, messages: episode.messages };
}

describe('a conversation', () => {
  it.each([
    ['the Responses API', overResponses(false)],
    ['the Responses API, kept by the server', overResponses(true)],
    ["Anthropic's Messages API", overMessages],
  ])(
    'over %s has the tokens and masks that it has over chat completions',
    { timeout: 60_000 },
    async (_, speak) => {
      await fc.assert(
        fc.asyncProperty(conversation, async (one) => {
          expect(await timelinesOf(speak, one)).toEqual(await timelinesOf(overChat, one));
        }),
        fuzz(61, 400),
      );
    },
  );
});
