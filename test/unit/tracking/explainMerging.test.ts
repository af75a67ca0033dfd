import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TracedMessage } from '../../../src/tracking/core/records/trace.ts';
import {
  explainMerging,
  type ExplainableCall,
  type MergingExplanation,
} from '../../../src/tracking/core/explainMerging.ts';
import { mergeCalls, type MergeSettings } from '../../../src/tracking/core/mergeCalls.ts';
import type { MergeOptions } from '../../../src/tracking/core/tracker.ts';
import { fuzz } from '../fuzz.ts';
import { answer, assistant, Episode, system, user } from './episode.ts';
import { tokensById } from './tinyText.ts';

const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };
const toolCall = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
const text: MergeOptions = { compareLevel: 'text', ignoreTools: true };
const token: MergeOptions = { compareLevel: 'token', ignoreTools: true };
const withTools: MergeOptions = { compareLevel: 'text', ignoreTools: false };
const next = { role: 'user', content: 'and three' };

type Ask = readonly [
  messages: readonly unknown[],
  reply: string,
  more?: { agent?: string; tools?: unknown[] },
];

function episodeOf(merging: MergeOptions, asks: readonly Ask[]): Episode {
  const episode = new Episode({ merging });
  for (const [messages, reply, { agent = 'a', tools = null } = {}] of asks) {
    const tokens = tokensById(episode.text, `${reply}<|im_end|>`);
    episode.call(messages, answer(reply, { tokens }), tools, { agent });
  }
  return episode;
}

const stamped = (time: string): { role: string; content: string } => ({
  role: 'system',
  content: `be kind, it is ${time}`,
});

/** What is told of each kind of fork, by merging setting and what was asked. */
const told: readonly (readonly [string, MergeOptions, readonly Ask[]])[] = [
  [
    'a reply rewritten',
    text,
    [
      [[system, user], 'let me think, 2'],
      [[system, user, assistant('2'), next], '3'],
    ],
  ],
  [
    'a window that moved on',
    text,
    [
      [[system, user], '2'],
      [[system, next], '3'],
    ],
  ],
  [
    'the same asked again',
    text,
    [
      [[system, user], 'it is 2'],
      [[system, user], 'it is 4'],
    ],
  ],
  [
    'a shorter call',
    text,
    [
      [[system, user, assistant('2'), next], '3'],
      [[system, user], '2'],
    ],
  ],
  [
    'other tools',
    withTools,
    [
      [[system, user], '2'],
      [[system, user, assistant('2'), next], '3', { tools: [tool] }],
    ],
  ],
  [
    'other tools in tokens',
    token,
    [
      [[system, user], '2'],
      [[system, user, assistant('2'), next], '3', { tools: [tool] }],
    ],
  ],
  [
    'a tool call lost',
    token,
    [
      [[system, user, { ...assistant('2'), tool_calls: [toolCall] }, next], '3'],
      [[system, user, assistant('2'), next, assistant('3'), next], '4'],
    ],
  ],
  [
    'a system message with the time in it',
    text,
    [
      [[stamped('noon'), user], '2'],
      [[stamped('one'), user, assistant('2'), next], '3'],
    ],
  ],
  [
    'two system messages',
    text,
    [
      [[system, user], '2'],
      [[stamped('noon'), user], '2'],
    ],
  ],
  [
    'two agents',
    text,
    [
      [[system, user], '2'],
      [[system, next], '3', { agent: 'b' }],
    ],
  ],
];

describe('calls that do not merge', () => {
  it('are told with the message, the token, the cause and what another setting gives', async () => {
    const lines = told.map(([name, merging, asks]) => {
      const problems = episodeOf(merging, asks).end().tracking.problems;
      const found = problems.map(({ code, calls, message }) => `${code} ${String(calls)}: ${message}`);
      return `${name}:\n  ${found.length === 0 ? 'nothing' : found.join('\n  ')}`;
    });
    await expect(`${lines.join('\n\n')}\n`).toMatchFileSnapshot('./goldens/notMerged.txt');
  });

  it('by tokens only: the same text, which the model made of others', () => {
    const episode = new Episode({ merging: token });
    const tokens = [...tokensById(episode.text, 'i t'), ...tokensById(episode.text, '<|im_end|>')];
    episode.call([system, user], answer('it', { tokens }));
    episode.call([system, user, assistant('it'), next], answer('3'));
    const { problems } = episode.end().tracking;
    const problem = problems.find(({ code }) => code === 'not-merged');
    expect(problem?.message).toContain(
      'message 2 (assistant) has the same text with other tokens from its token 3 on',
    );
    expect(problem?.message).toContain('with `timeline_compare_level: text` it would give 1');
  });

  it('are one problem of an episode, with every call that begins a timeline', () => {
    const asks = ['a', 'b', 'c'].map((content): Ask => [[system, { role: 'user', content }], 'yes']);
    const { problems } = episodeOf(text, asks).end().tracking;
    expect(problems.map(({ code, calls }) => [code, calls])).toEqual([['not-merged', [1, 2]]]);
  });

  it('are forgotten with the attempt that they were of', () => {
    const episode = episodeOf(text, [
      [[system, user], '2'],
      [[system, next], '3'],
    ]);
    episode.tracker.restart();
    episode.call([system, user], answer('2'));
    expect(episode.codes()).toEqual([]);
  });
});

function message(role: string, author: TracedMessage['author'], words: string, ids: number[]): TracedMessage {
  const [logprobs, toolCalls, toolCallId] = [null, null, null];
  const [tokenIds, lossMask] = [Int32Array.from(ids), new Uint8Array(ids.length)];
  return { role, author, text: words, toolCalls, toolCallId, tokenIds, logprobs, lossMask };
}

/** Position 0 and 1: system messages; 2 to 4: the user's; 5 to 7: replies, two of them of one text. */
const list = [
  message('system', 'env', 's', [1, 2]),
  message('system', 'env', 't', [1, 3]),
  message('user', 'env', 'u', [4]),
  message('user', 'env', 'v', [5]),
  message('user', 'env', 'v', [5, 5]),
  message('assistant', 'llm', 'r', [6]),
  message('assistant', 'llm', 'r', [7]),
  message('assistant', 'llm', 'q', [8]),
];
const at = (position: number): TracedMessage => list[position] ?? message('user', 'env', '', []);
const shapes = fc.array(
  fc.record({
    messages: fc.array(fc.nat({ max: 7 }), { maxLength: 4 }),
    reply: fc.option(fc.integer({ min: 5, max: 7 }), { freq: 8 }),
    tools: fc.constantFrom(null, 'x'),
    agent: fc.constantFrom('a', 'b'),
  }),
  { maxLength: 10 },
);
const policy = fc.record({ compareLevel: fc.constantFrom('text', 'token'), ignoreTools: fc.boolean() });

function explain(calls: readonly ExplainableCall[], options: MergeOptions): MergingExplanation {
  const settings = settingsOf(options);
  return explainMerging(calls, list, settings, mergeCalls(calls, list, settings).timelines);
}

function settingsOf(options: MergeOptions): MergeSettings {
  return { ...options, lossMaskOf: ({ lossMask }) => lossMask };
}

function shared(one: ExplainableCall, other: ExplainableCall, level: MergeOptions['compareLevel']): number {
  const [a, b] = [one, other].map(({ messages, reply }) => [...messages, reply ?? 0].map(at));
  const keys = [a, b].map((path) =>
    path?.map((own) => (level === 'text' ? own.text : own.tokenIds.join(' '))),
  );
  const length = keys[0]?.findIndex((key, index) => key !== keys[1]?.[index]) ?? 0;
  return length === -1 ? (keys[0]?.length ?? 0) : length;
}

describe('the explanation of merging', () => {
  it('has a fork for each timeline but the first, from the one of its agent that it goes farthest with', () => {
    fc.assert(
      fc.property(shapes, policy, (episode, options) => {
        const calls = episode.map((shape, call) => ({ ...shape, call: call + 10 }));
        const { forks, timelines } = explain(calls, options);
        const ends = mergeCalls(calls, list, settingsOf(options)).timelines.map(({ calls: all }) =>
          all.at(-1),
        );
        expect(timelines).toBe(ends.length);
        expect(forks.map(({ call }) => call)).toEqual(ends.slice(1));
        for (const { call, earlier, cause, message: index } of forks) {
          if (cause === 'agents' || cause === 'tools' || index === 0) continue;
          const own = calls.find((one) => one.call === call);
          const before = calls.filter(
            (one) => one.call < call && one.agent === own?.agent && ends.includes(one.call),
          );
          const lengths = before.map((one) =>
            own === undefined ? 0 : shared(own, one, options.compareLevel),
          );
          expect(index).toBe(Math.max(...lengths));
          expect(earlier).toBe(before[lengths.lastIndexOf(index)]?.call);
        }
      }),
      fuzz(51, 5_000),
    );
  });

  it('counts what the other settings give, and never fewer by a stricter one', () => {
    fc.assert(
      fc.property(shapes, policy, (episode, options) => {
        const calls = episode.map((shape, call) => ({ ...shape, call }));
        const { others, timelines } = explain(calls, options);
        const counts = new Map([
          [`${options.compareLevel} ${options.ignoreTools}`, timelines],
          ...others().map((one) => [`${one.compareLevel} ${one.ignoreTools}`, one.timelines] as const),
        ]);
        expect(counts.size).toBe(4);
        for (const level of ['text', 'token']) {
          expect(counts.get(`${level} true`)).toBeLessThanOrEqual(counts.get(`${level} false`) ?? 0);
        }
        for (const ignores of [true, false]) {
          expect(counts.get(`text ${ignores}`)).toBeLessThanOrEqual(counts.get(`token ${ignores}`) ?? 0);
        }
      }),
      fuzz(52, 2_000),
    );
  });
});
