import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { madnessOf } from '../../../src/tracking/core/madness.ts';
import { answer, assistant, Episode, system, user } from './episode.ts';
import { madnessCases, madnessString } from './madnessStrings.ts';

const fixture = path.join(import.meta.dirname, '../../fixtures/madness/madness.json');
const vectors = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly strings: readonly string[];
  readonly toolCalls: readonly boolean[];
};

describe('a degenerate reply', () => {
  it('is what AgentJet takes for one, of 100,000 texts by each checklist', () => {
    const digits = vectors.strings.join('');
    expect(digits).toHaveLength(100_000);
    const { checklists } = madnessCases;
    const found = Array.from(digits, (_, number) => {
      const content = madnessString(number);
      const bits = checklists.map((list, at) =>
        madnessOf({ content, toolCalls: null }, list) === undefined ? 0 : 1 << at,
      );
      return String.fromCharCode(48 + bits.reduce((sum, bit) => sum + bit, 0));
    });
    const wrong = found.findIndex((digit, number) => digit !== digits[number]);
    expect(wrong === -1 ? undefined : [wrong, found[wrong], digits[wrong], madnessString(wrong)]).toBe(
      undefined,
    );
  });

  it('is what AgentJet takes for one, by its tool calls', () => {
    const { arguments: texts, contents, toolCalls } = madnessCases;
    const calls = texts.map((text) => [{ function: { name: 'f', arguments: text } }]);
    const replies = contents.flatMap((content) =>
      [...calls, ...toolCalls].map((list) => ({ content, toolCalls: list })),
    );
    const found = replies.map((reply) => madnessOf(reply, ['wrong_toolcall']) !== undefined);
    expect(found).toEqual(vectors.toolCalls);
  });

  it.each([
    ['a → b', ['nonsense'], /`→` \(U\+2192\)/],
    ['say '.repeat(12), ['nonsense'], /same few words, such as "say"/],
    ['a'.repeat(300), ['nonsense'], /same few characters, such as `a` \(U\+0061\)/],
    ['x <|im_start|>', 'nonsense and more', /<\|im_start\|>/],
    ['a → b', ['nonsense', 'non_ascii'], undefined],
    ['plain', ['format_type_1'], /does not start with `<think>`/],
    ['plain', [], undefined],
  ])('%j by %j is told', (content, checklist, reason) => {
    const told = madnessOf({ content, toolCalls: null }, checklist);
    if (reason === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(reason);
  });

  it('of a megabyte is found out as soon as one that is read once', () => {
    const content = `${' '.repeat(500_000)}x${' '.repeat(500_000)}`;
    expect(madnessOf({ content, toolCalls: null }, ['format_type_1'])).toMatch(/<think>/);
  });
});

describe('an episode with a degenerate reply', () => {
  const madness = { checklist: ['nonsense'], reward: -1, terminates: true };
  const next = [system, user, assistant('a → b'), user];

  it('keeps what was before and the reply, and nothing that begins later', () => {
    const episode = new Episode({ madness });
    episode.call([system, user], answer('a → b'));
    const later = episode.call(next, answer('fine'));
    expect(later.reply).not.toBeNull();
    const { timelines, tracking } = episode.end();
    expect(timelines.map(({ calls }) => calls)).toEqual([[0]]);
    expect(tracking.madnessReward).toBe(-1);
    expect(tracking.problems).toMatchObject(
      [
        {
          code: 'degenerate-reply',
          severity: 'warning',
          message: /^In call 0, the reply is degenerate: .*reward -1/,
        },
        { code: 'after-degenerate-reply', severity: 'warning', message: /^In call 1, / },
      ].map(({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) as string })),
    );
  });

  it('keeps a call that had begun by then', () => {
    const episode = new Episode({ madness });
    episode.call([system, user], answer('a → b'), null, { endedAt: 20 });
    episode.call([system, { role: 'user', content: 'other' }], answer('fine'), null, { startedAt: 19 });
    expect(episode.end().timelines).toHaveLength(2);
  });

  it('keeps everything where it is not to end', () => {
    const episode = new Episode({ madness: { ...madness, terminates: false } });
    episode.call([system, user], answer('a → b'));
    episode.call(next, answer('fine'));
    const { timelines, tracking } = episode.end();
    expect(timelines.map(({ calls }) => calls)).toEqual([[0, 1]]);
    expect(tracking.madnessReward).toBe(-1);
  });

  it('has its own reward without one', () => {
    const episode = new Episode({ madness });
    episode.call([system, user], answer('fine'));
    expect(episode.end().tracking).not.toHaveProperty('madnessReward');
  });

  it('begins anew with another attempt, and keeps what it knows of messages', () => {
    const episode = new Episode({ madness });
    const [first] = episode.call([system, user], answer('a → b')).messages;
    episode.tracker.restart();
    expect(episode.call([system, user], answer('fine')).messages[0]).toBe(first);
    const { timelines, tracking } = episode.end();
    expect(timelines.map(({ calls }) => calls)).toEqual([[1]]);
    expect(tracking).not.toHaveProperty('madnessReward');
    expect(tracking.problems).toEqual([]);
  });

  it('keeps no call that comes when it has been told to stop', () => {
    const episode = new Episode({ madness });
    episode.call([system, user], answer('fine'));
    episode.tracker.track(
      { call: 1, messages: [system, user], tools: null, startedAt: 10, endedAt: 11, interrupted: true },
      answer('fine'),
    );
    expect(episode.end().timelines.map(({ calls }) => calls)).toEqual([[0]]);
    expect(episode.codes()).toEqual(['externally-interrupted']);
  });
});
