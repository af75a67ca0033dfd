import { describe, expect, it } from 'vitest';
import type { BegunRequest } from '../../../src/tracking/core/tracker.ts';
import { answer, Episode, roomy, system, user } from './episode.ts';

/** The prompt of `[system, user]` has 18 tokens. */
const tight = { ...roomy, modelLength: 28, turnLength: 10 };
const short = [system, { role: 'user', content: 'hm' }];
const mad = answer('<tool_call>');
const madness = { checklist: ['wrong_toolcall'], reward: -1, terminates: true };

function begin(episode: Episode, changes: Partial<BegunRequest> = {}) {
  return episode.tracker.begin({
    call: 9,
    startedAt: 1000,
    messages: [system, user],
    tools: null,
    ...changes,
  });
}

describe('a call that begins', () => {
  it('is safe while its prompt leaves room for the longest reply', () => {
    expect(begin(new Episode({ limits: { ...tight, modelLength: 29 } }))).toEqual({
      unsafe: null,
      overflows: false,
    });
    expect(begin(new Episode({ limits: tight }))).toEqual({ unsafe: 'token_overflow', overflows: true });
  });

  it('is told of the first reason, and overflows whatever else holds', () => {
    const episode = new Episode({ limits: tight, madness });
    episode.call(short, mad);
    expect(begin(episode, { interrupted: true })).toEqual({
      unsafe: 'externally_interrupted',
      overflows: true,
    });
    expect(begin(episode)).toEqual({ unsafe: 'already_mad', overflows: true });
    expect(begin(episode, { messages: short })).toEqual({ unsafe: 'already_mad', overflows: false });
    expect(begin(episode, { messages: short, interrupted: true })).toEqual({
      unsafe: 'externally_interrupted',
      overflows: false,
    });
  });

  it('stays safe after a degenerate reply where that ends nothing', () => {
    const episode = new Episode({ madness: { ...madness, terminates: false } });
    episode.call(short, mad);
    expect(begin(episode).unsafe).toBeNull();
  });

  it('does not overflow by a prompt that the template fails on', () => {
    const fails = (): never => {
      throw new Error('no');
    };
    const episode = new Episode({ limits: { ...tight, modelLength: 11 } });
    const failing = new Episode({
      limits: { ...tight, modelLength: 11 },
      text: { ...episode.text, template: { render: fails } },
    });
    expect([begin(episode).overflows, begin(failing).overflows]).toEqual([true, false]);
    expect(failing.codes()).toEqual(['template-failed!']);
  });
});

describe('a call whose prompt overflows', () => {
  it('is in no timeline, is not judged, and keeps its canned reply for readers', () => {
    const episode = new Episode({ limits: tight, madness });
    const tracked = episode.call([system, user], mad);
    expect(tracked).toMatchObject({ messages: [0, 1], promptTokens: 18, replyTokens: 0 });
    const canned = episode.at(tracked.reply);
    expect(canned).toMatchObject({ author: 'llm(do_not_train)', text: '<tool_call>', logprobs: null });
    expect(canned.tokenIds).toHaveLength(0);
    const { timelines, tracking } = episode.end();
    expect([timelines, tracking.madnessReward]).toEqual([[], undefined]);
    expect(tracking.problems.map(({ code }) => code)).toEqual(['context-overflow']);
  });

  it('leaves the calls before and after it as they are', () => {
    const episode = new Episode({ limits: tight });
    episode.call(short, answer('a'));
    episode.call([system, user], answer('canned'));
    episode.call(short, answer('b'));
    expect(episode.end().timelines.map(({ calls }) => calls)).toEqual([[0], [2]]);
  });

  it('has no reply where it was given up', () => {
    expect(new Episode({ limits: tight }).call([system, user], null).reply).toBeNull();
  });
});

describe('what a begun call is tracked as', () => {
  it('is what it would be tracked as at once, made into tokens once', () => {
    const [begun, whole] = [new Episode(), new Episode()];
    begin(begun, { call: 0, startedAt: 0 });
    const before = begun.text.tokenizer.characters;
    expect(begun.call([system, user])).toEqual(whole.call([system, user]));
    expect(begun.end()).toEqual(whole.end());
    expect(begun.text.tokenizer.characters).toBe(whole.text.tokenizer.characters);
    expect(before).toBeGreaterThan(0);
  });

  it('is forgotten with its attempt', () => {
    const episode = new Episode({ limits: tight });
    begin(episode, { call: 0 });
    episode.tracker.restart();
    episode.call(short);
    expect(episode.end().tracking).toMatchObject({ timelines: 1, problems: [] });
  });
});
