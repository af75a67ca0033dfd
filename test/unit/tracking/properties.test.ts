import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkChatRequest } from '../../../src/backbone/core/model-tuner/requestSchema.ts';
import { madnessOf } from '../../../src/tracking/core/madness.ts';
import type { TrackerReply } from '../../../src/tracking/core/tracker.ts';
import { fuzz } from '../fuzz.ts';
import { answer, Episode, roomy, system } from './episode.ts';
import { chatMl, tinyText, tokensById } from './tinyText.ts';

const word = fc.constantFrom(
  'a',
  'b c',
  '',
  '\n',
  '<|im_end|>',
  '<|im_start|>',
  '<tool_call>',
  'é',
  '\ud800',
  '{}',
);
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(''));
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constantFrom('image_url', 'tool_use', 'tool_result', 'refusal', '') }),
  fc.record({ type: fc.constant('x'), text: fc.oneof(text, fc.integer(), fc.constant(null)) }),
);
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }));
const nothing = fc.constantFrom(null, undefined);
const toolCall = fc.oneof(
  fc.record({
    id: text,
    type: fc.constant('function'),
    function: fc.record({ name: text, arguments: fc.oneof(text, fc.json()) }),
  }),
  fc.record({ id: text, type: fc.constant('custom'), custom: fc.record({ name: text, input: text }) }),
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(content, nothing),
    tool_calls: fc.oneof(nothing, fc.array(toolCall, { maxLength: 2 })),
  }),
  fc.record({ role: fc.constant('tool'), content, tool_call_id: text }),
  fc.record({ role: fc.constant('function'), content: fc.oneof(text, fc.constant(null)), name: text }),
);
const tool = fc.oneof(
  fc.record({
    type: fc.constant('function'),
    function: fc.record(
      { name: fc.constant('f'), parameters: fc.oneof(fc.constant(null), fc.dictionary(text, text)) },
      { requiredKeys: ['name'] },
    ),
  }),
  fc.record({ type: fc.constant('custom'), custom: fc.record({ name: fc.constant('g') }) }),
);
const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 3 });
const replyToken = fc.record({
  id: fc.option(fc.integer({ min: -1, max: 30 })),
  bytes: fc.oneof(
    bytes,
    text.map((value) => [...new TextEncoder().encode(value)]),
  ),
  logprob: fc.option(fc.constant(-1)),
});
const reply: fc.Arbitrary<TrackerReply | null> = fc.option(
  fc.record({
    content: fc.option(text),
    toolCalls: fc.option(fc.array(toolCall, { maxLength: 2 })),
    finishReason: fc.constantFrom(null, 'stop', 'length', 'tool_calls', 'content_filter', 'other'),
    tokens: fc.option(fc.array(replyToken, { maxLength: 4 })),
  }),
);
const calls = fc.array(
  fc.record({
    request: fc.record({
      messages: fc.array(message, { minLength: 1, maxLength: 5 }),
      tools: fc.option(fc.array(tool, { maxLength: 2 })),
    }),
    reply,
  }),
  { maxLength: 5 },
);

function fails(): never {
  throw new Error('no');
}

describe('any request that the gateway lets through', () => {
  it('is tracked, whatever it is answered with', () => {
    const settings = fc.record({
      toolCallsDisabled: fc.boolean(),
      exact: fc.boolean(),
      render: fc.constantFrom(chatMl, fails),
      limits: fc.constantFrom(roomy, {
        modelLength: 40,
        promptLength: 10,
        responseLength: 20,
        turnLength: 15,
      }),
      merging: fc.record({ compareLevel: fc.constantFrom('text', 'token'), ignoreTools: fc.boolean() }),
      madness: fc.record({
        checklist: fc.subarray(['nonsense', 'non_ascii', 'wrong_toolcall', 'format_type_1']),
        reward: fc.constant(-1),
        terminates: fc.boolean(),
      }),
    });
    fc.assert(
      fc.property(calls, settings, (list, { exact, render, ...options }) => {
        const episode = new Episode({ text: tinyText(render, exact), ...options });
        const room = options.limits.modelLength - options.limits.turnLength;
        const asked = new Set<TrackerReply | null>();
        for (const call of list) {
          const read = checkChatRequest(JSON.parse(JSON.stringify(call.request)));
          if ('failure' in read) throw new Error(JSON.stringify(read.failure));
          const tracked = episode.call(read.request.messages, call.reply, read.request.tools ?? null);
          expect(tracked.reply === null).toBe(call.reply === null);
          if (render === fails || tracked.promptTokens < room) asked.add(call.reply);
        }
        const ended = episode.end();
        const merged = ended.timelines.flatMap((timeline) => timeline.calls);
        const { checklist, terminates } = options.madness;
        const mad = list.findIndex(
          ({ reply: one }) => one !== null && asked.has(one) && madnessOf(one, checklist) !== undefined,
        );
        const kept = list.flatMap((call, index) => {
          const isAsked = call.reply !== null && asked.has(call.reply);
          return !isAsked || (terminates && mad !== -1 && index > mad) ? [] : [index];
        });
        expect(merged.toSorted((a, b) => a - b)).toEqual(kept);
        expect(ended.tracking.madnessReward).toBe(mad === -1 ? undefined : -1);
        for (const { messages, tokens, trainableTokens } of ended.timelines) {
          const whole = messages.map((position) => episode.at(position));
          expect(whole.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0)).toBe(tokens);
          const masks = whole.flatMap(({ lossMask }) => [...lossMask]);
          expect(masks).toHaveLength(tokens);
          expect(masks.reduce((sum, one) => sum + one, 0)).toBe(trainableTokens);
          expect(whole.every(({ author, lossMask }) => author === 'llm' || !lossMask.includes(1))).toBe(true);
        }
      }),
      fuzz(51, 10_000),
    );
  });
});

const plain = fc
  .array(fc.constantFrom('a', ' b', ' c1', '\n', '.', ' é'), { maxLength: 6 })
  .map((words) => words.join(''));
const turn = fc.record({
  role: fc.constantFrom('user', 'assistant', 'tool'),
  content: plain,
  tool_call_id: fc.constant('c'),
});
const conversation = fc.array(turn, { maxLength: 6 }).map((turns) => [system, ...turns]);

describe('a timeline of one call', () => {
  it('has the tokens of the whole template, where messages stand for themselves', () => {
    fc.assert(
      fc.property(
        conversation,
        plain,
        fc.option(fc.array(tool, { minLength: 1, maxLength: 2 })),
        (messages, written, tools) => {
          const episode = new Episode();
          const tracked = episode.call(messages, answer(written), tools);
          const ids = [...tracked.messages, tracked.reply].flatMap((position) => [
            ...episode.at(position).tokenIds,
          ]);
          const prepared = messages.map(({ role, content: own }) => ({ role, content: own }));
          const rendered = chatMl([...prepared, { role: 'assistant', content: written }], {
            ...(tools && { tools: tools.map(parametersLast) }),
            addGenerationPrompt: false,
          });
          expect(episode.text.tokenizer.textOf(ids).join('')).toBe(rendered);
          expect(ids).toEqual(episode.text.tokenizer.encode(rendered));
          const header = episode.text.tokenizer.encode('<|im_start|>assistant\n').length;
          const replyLength = episode.at(tracked.reply).tokenIds.length;
          expect(tracked.promptTokens).toBe(ids.length - replyLength + header);
        },
      ),
      fuzz(52, 5_000),
    );
  });

  it('trains what the model made, all of it and nothing else', () => {
    const last = fc.constantFrom('<|im_end|>', '');
    fc.assert(
      fc.property(conversation, plain, last, fc.boolean(), (messages, written, end, byIds) => {
        const episode = new Episode();
        const byId = tokensById(episode.text, written + end);
        const tokens = byIds
          ? byId
          : byId.map(({ id, logprob }) => ({
              id: null,
              bytes: [...episode.text.tokenizer.bytesOf(id ?? 0)],
              logprob,
            }));
        const finishReason = end === '' ? 'length' : 'stop';
        const tracked = episode.call(messages, answer(written, { tokens, finishReason }));
        const { tokenIds, lossMask, logprobs } = episode.at(tracked.reply);
        const trained = [...tokenIds].filter((_id, at) => lossMask[at] === 1);
        expect(trained).toEqual(byId.map(({ id }) => id));
        expect(tracked.replyTokens).toBe(byId.length);
        const told = logprobs ?? new Float32Array(lossMask.length).fill(NaN);
        expect(Array.from(told, (logprob) => !Number.isNaN(logprob))).toEqual(
          Array.from(lossMask, (counts) => counts === 1),
        );
        expect(tracked.messages.every((position) => !episode.at(position).lossMask.includes(1))).toBe(true);
      }),
      fuzz(53, 5_000),
    );
  });
});

describe('the same calls', () => {
  it('make the same timelines, and make them again when asked twice', () => {
    fc.assert(
      fc.property(calls, (list) => {
        const [first, second] = [new Episode(), new Episode()];
        for (const { request, reply: own } of list) {
          expect(first.call(request.messages, own, request.tools)).toEqual(
            second.call(request.messages, own, request.tools),
          );
        }
        expect(first.end()).toEqual(second.end());
        expect(first.end()).toEqual(second.end());
      }),
      fuzz(54, 2_000),
    );
  });
});

function parametersLast(value: unknown): unknown {
  const { function: described, ...rest } = value as { function?: { parameters?: unknown } };
  if (described === undefined || !('parameters' in described)) return value;
  const { parameters, ...named } = described;
  return { ...rest, function: { ...named, parameters } };
}
