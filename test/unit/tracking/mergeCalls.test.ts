import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TracedMessage } from '../../../src/tracking/core/records/trace.ts';
import { withTokens, mergeCalls, type MergeableCall } from '../../../src/tracking/core/mergeCalls.ts';
import { sampleLossMask } from '../../../src/tracking/core/replyTokens.ts';
import type { MergeOptions } from '../../../src/tracking/core/tracker.ts';
import { fuzz } from '../fuzz.ts';

/** Token 1 is the end token; 0 is the header. */
const lossMaskOf = ({ tokenIds }: TracedMessage): Uint8Array =>
  sampleLossMask(tokenIds, { header: [0], eos: 1, lacksEos: false });

function message(fields: Partial<TracedMessage> & { readonly tokens?: readonly number[] }): TracedMessage {
  const { tokens = [5], ...rest } = fields;
  return {
    role: 'user',
    author: 'env',
    text: '',
    toolCalls: null,
    toolCallId: null,
    tokenIds: Int32Array.from(tokens),
    logprobs: null,
    lossMask: new Uint8Array(tokens.length),
    ...rest,
  };
}

function reply(text: string, tokens: readonly number[], mask: readonly number[]): TracedMessage {
  const logprobs = Float32Array.from(tokens, () => -1);
  return message({
    role: 'assistant',
    author: 'llm',
    text,
    tokens,
    logprobs,
    lossMask: Uint8Array.from(mask),
  });
}

interface Timeline {
  calls: number[];
  tools: string | null;
  messages: TracedMessage[];
  lacksEos: Set<TracedMessage>;
}

/** Merging as it reads in the reference, pair by pair over the reversed list. */
function pairwise(
  calls: readonly MergeableCall[],
  list: readonly TracedMessage[],
  options: MergeOptions,
): Timeline[] {
  const at = (position: number): TracedMessage => list[position] ?? message({});
  const reversed = calls
    .flatMap(({ call, messages, reply: last, tools }): Timeline[] =>
      last === null
        ? []
        : [
            {
              calls: [call],
              tools,
              messages: [...messages, last].map((position) => ({ ...at(position) })),
              lacksEos: new Set(),
            },
          ],
    )
    .reverse();
  const absorbed = new Set<Timeline>();
  reversed.forEach((into, index) => {
    if (absorbed.has(into)) return;
    for (const from of reversed.slice(index + 1)) {
      if (absorbed.has(from) || !begins(into, from, options)) continue;
      from.messages.forEach((source, place) => {
        const own = into.messages[place];
        if (own === undefined || source.author !== 'llm' || own.author === 'llm') return;
        const end = source.tokenIds.lastIndexOf(1);
        const lossMask = source.lossMask.map((counts, position) => (position === end ? 1 : counts));
        into.messages[place] = {
          ...own,
          author: 'llm',
          tokenIds: source.tokenIds,
          logprobs: source.logprobs,
          lossMask,
        };
      });
      into.calls.unshift(...from.calls);
      absorbed.add(from);
    }
  });
  return reversed.filter((timeline) => !absorbed.has(timeline)).reverse();
}

function begins(into: Timeline, from: Timeline, { compareLevel, ignoreTools }: MergeOptions): boolean {
  if (into.messages.length < from.messages.length) return false;
  if (!ignoreTools && into.tools !== from.tools) return false;
  return from.messages.every((source, place) => {
    const own = into.messages[place];
    if (compareLevel === 'text') return own?.text === source.text;
    return own?.tokenIds.join() === source.tokenIds.join();
  });
}

const position = fc.nat({ max: 5 });
const env = fc
  .record({ text: fc.constantFrom('a', 'b'), tokens: fc.constantFrom([0, 5, 1], [0, 6, 1], [0, 5, 6, 1]) })
  .map(message);
const made = fc
  .record({ text: fc.constantFrom('a', 'b'), body: fc.constantFrom([5], [6], [5, 6]), ended: fc.boolean() })
  .map(({ text, body, ended }) => reply(text, [0, ...body, 1], [0, ...body.map(() => 1), ended ? 1 : 0]));
const episodes = fc.record({
  list: fc.tuple(env, env, env, made, made, made),
  shapes: fc.array(
    fc.record({
      messages: fc.array(
        position.map((value) => value % 3),
        { maxLength: 4 },
      ),
      reply: fc.option(
        position.map((value) => 3 + (value % 3)),
        { freq: 10 },
      ),
      tools: fc.constantFrom(null, 'x'),
    }),
    { maxLength: 12 },
  ),
  compareLevel: fc.constantFrom('text' as const, 'token' as const),
  ignoreTools: fc.boolean(),
});

/** Whether merging gives what comparing every pair of timelines gives. */
function expectPairwise(
  calls: readonly MergeableCall[],
  list: readonly TracedMessage[],
  options: MergeOptions,
): void {
  const settings = { ...options, lossMaskOf };
  const merged = mergeCalls(calls, list, settings);
  const added = merged.added.map((one) => [one.position, one.message] as const);
  const all = new Map([...list.entries(), ...added]);
  const expected = pairwise(calls, list, options);
  expect(merged.timelines.map(({ calls: names }) => names)).toEqual(
    expected.map(({ calls: names }) => names),
  );
  expect(merged.timelines.map(({ messages }) => messages.map((at) => all.get(at)))).toEqual(
    expected.map(({ messages }) => messages),
  );
}

describe('merging', () => {
  it('is what comparing every pair of timelines makes', () => {
    fc.assert(
      fc.property(episodes, ({ list, shapes, ...options }) => {
        const calls = shapes.map((shape, call) => ({ ...shape, call }));
        expectPairwise(calls, list, options);
      }),
      fuzz(41, 20_000),
    );
  });

  it('is that also where many calls part at one message', () => {
    const ways = 40;
    const numbers = Array.from({ length: ways }, (_, way) => way);
    // Every message twice: equal ones at two positions.
    const sent = [...numbers, ...numbers].map((way) => message({ text: `m${way}`, tokens: [way + 2] }));
    const replies = numbers.map((way) => reply(`m${way}`, [0, way + 2, 1], [0, 1, 1]));
    const shapes = fc.array(
      fc.record({
        messages: fc.array(fc.nat({ max: sent.length - 1 }), { maxLength: 2 }),
        reply: fc.nat({ max: ways - 1 }).map((way) => sent.length + way),
        tools: fc.constant(null),
      }),
      { minLength: ways, maxLength: 3 * ways },
    );
    const level = fc.constantFrom('text' as const, 'token' as const);
    fc.assert(
      fc.property(shapes, level, (list, compareLevel) => {
        const calls = list.map((shape, call) => ({ ...shape, call }));
        expectPairwise(calls, [...sent, ...replies], { compareLevel, ignoreTools: true });
      }),
      fuzz(46, 500),
    );
  });

  it('of merged timelines changes nothing more', () => {
    fc.assert(
      fc.property(episodes, ({ list, shapes, ...options }) => {
        const settings = { ...options, lossMaskOf };
        const calls = shapes.map((shape, call) => ({ ...shape, call }));
        const first = mergeCalls(calls, list, settings);
        const all = new Map([
          ...list.entries(),
          ...first.added.map((one) => [one.position, one.message] as const),
        ]);
        const again = mergeCalls(
          first.timelines.map(({ calls: names, messages }) => ({
            call: names.at(-1) ?? 0,
            messages: messages.slice(0, -1),
            reply: messages.at(-1) ?? null,
            tools: calls[names.at(-1) ?? 0]?.tools ?? null,
          })),
          [...all.values()],
          settings,
        );
        expect(again.added).toEqual([]);
        expect(again.timelines.map(({ messages }) => messages)).toEqual(
          first.timelines.map(({ messages }) => messages),
        );
      }),
      fuzz(42, 5_000),
    );
  });

  it('makes timelines whose tokens are counted, those of messages that it made, too', () => {
    const list = [
      message({ text: 'q', tokens: [0, 7, 1] }),
      reply('a', [0, 8, 1], [0, 1, 1]),
      message({ role: 'user', text: 'a', tokens: [0, 8, 9, 1] }),
      reply('b', [0, 5, 1], [0, 1, 1]),
    ];
    const calls = [
      { call: 4, messages: [0], reply: 1, tools: null },
      { call: 5, messages: [0, 2], reply: 3, tools: null },
    ];
    const merged = mergeCalls(calls, list, { compareLevel: 'text', ignoreTools: true, lossMaskOf });
    expect(merged.added).toHaveLength(1);
    expect(withTokens(merged, list)).toEqual([
      { calls: [4, 5], messages: [0, 4, 3], tokens: 9, trainableTokens: 4 },
    ]);
  });

  it('takes a reply over as it is, without a message more', () => {
    const list = [
      message({ text: 'q' }),
      reply('a', [0, 8, 1], [0, 1, 1]),
      message({ role: 'assistant', text: 'a', tokens: [0, 9, 1] }),
    ];
    const calls = [
      { call: 0, messages: [0], reply: 1, tools: null },
      { call: 1, messages: [0, 2, 0], reply: 1, tools: null },
    ];
    const options = { compareLevel: 'text', ignoreTools: true, lossMaskOf } as const;
    const merged = mergeCalls(calls, list, options);
    expect(merged).toMatchObject({
      added: [],
      maskedAnew: [],
      timelines: [{ calls: [0, 1], messages: [0, 1, 0, 1] }],
    });
  });
});
