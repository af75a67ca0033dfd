import { describe, expect, it } from 'vitest';
import type { MergeOptions } from '../../../src/tracking/core/tracker.ts';
import { answer, assistant, Episode, system, user } from './episode.ts';

const next = { role: 'user', content: 'and three' };
const calling = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };
const text: MergeOptions = { compareLevel: 'text', ignoreTools: true };

/** What is told of an episode's snaps, but for what is the same in all. */
function snaps(merging: MergeOptions, run: (episode: Episode) => void): string[] {
  const episode = new Episode({ detectsSnaps: true, merging });
  run(episode);
  const { problems } = episode.end().tracking;
  return problems
    .filter(({ code }) => code === 'timeline-snap')
    .map(({ message }) =>
      message.replace(' AgentJet logs a merge failure here (`detect_timeline_snap`).', ''),
    );
}

describe('a timeline snap', () => {
  it('is none where the history goes on, or is asked again', () => {
    const told = snaps(text, (episode) => {
      episode.call([system, user], answer('2'));
      episode.call([system, user, assistant('2'), next], answer('3'));
      episode.call([system, user, assistant('2'), next], answer('3'));
    });
    expect(told).toEqual([]);
  });

  it('is not looked for where the config does not ask', () => {
    const episode = new Episode();
    episode.call([system, user], answer('2'));
    episode.call([system, next], answer('3'));
    expect(episode.codes()).not.toContain('timeline-snap');
  });

  it('names call, message and field, with what was and what is', () => {
    const told = snaps(text, (episode) => {
      episode.call([system, user], answer('let me think, 2'));
      episode.call([system, user, assistant('2'), next], answer('3'));
    });
    expect(told).toEqual([
      'In call 1, the history does not continue the previous call 0: message 2 (assistant) has another `content`: "let me think, 2", now "2".',
    ]);
  });

  it('is a history that got shorter', () => {
    const told = snaps(text, (episode) => {
      episode.call([system, user, assistant('2'), next], answer('3'));
      episode.call([system, user], answer('2'));
    });
    expect(told).toEqual([
      'In call 1, the history does not continue the previous call 0: it ends after 3 of 5 messages.',
    ]);
  });

  it('is what another agent asks in between, as upstream has it', () => {
    const told = snaps(text, (episode) => {
      episode.call([system, user], answer('2'), null, { agent: 'solver' });
      episode.call([{ ...system, content: 'be strict' }, user], answer('no'), null, { agent: 'critic' });
    });
    expect(told).toEqual([
      'In call 1, the history does not continue the previous call 0 of another agent (solver): message 0 (system) has another `content`: "be kind", now "be strict".',
    ]);
  });

  it('of an agent is told beside those of agents that take turns', () => {
    const other = [{ ...system, content: 'be strict' }, user];
    const told = snaps(text, (episode) => {
      episode.call([system, user], answer('2'), null, { agent: 'solver' });
      episode.call(other, answer('no'), null, { agent: 'critic' });
      episode.call([system, user, assistant('2'), next], answer('3'), null, { agent: 'solver' });
      episode.call([system, next], answer('3'), null, { agent: 'solver' });
    });
    expect(told).toEqual([
      expect.stringMatching(/^In call 1 and 1 more call, .* of another agent \(solver\)/),
      expect.stringMatching(/^In call 3, .* call 2: message 1 \(user\) has another `content`/),
    ]);
  });

  it.each<[string, object, string]>([
    ['another role', { role: 'user', content: '2' }, '`role`: "assistant", now "user"'],
    ['tool calls', { ...assistant('2'), tool_calls: [calling] }, '`tool_calls`: "", now "[{'],
  ])('is seen by token only: %s', (_, message, expected) => {
    const run = (episode: Episode): void => {
      episode.call([system, user], answer('2'));
      episode.call([system, user, message, next], answer('3'));
    };
    expect(snaps(text, run)).toEqual([]);
    expect(snaps({ ...text, compareLevel: 'token' }, run)).toEqual([expect.stringContaining(expected)]);
  });

  it('is seen by token where a reply comes back in other tokens', () => {
    const told = snaps({ ...text, compareLevel: 'token' }, (episode) => {
      const tokens = ['i', 't'].map((one) => ({
        id: episode.text.tokenizer.encode(one)[0] ?? 0,
        bytes: [],
        logprob: null,
      }));
      episode.call([system, user], answer('it', { tokens }));
      episode.call([system, user, assistant('it'), next], answer('3'));
    });
    expect(told).toEqual([
      expect.stringContaining('message 2 (assistant) has the same text with other tokens'),
    ]);
  });

  it('is other tools, where these are compared', () => {
    const run = (episode: Episode): void => {
      episode.call([system, user], answer('2'));
      episode.call([system, user, assistant('2'), next], answer('3'), [tool]);
    };
    expect(snaps(text, run)).toEqual([]);
    expect(snaps({ ...text, ignoreTools: false }, run)).toEqual([
      expect.stringContaining('other tools are offered'),
    ]);
  });

  it('passes over calls that training does not keep, and begins anew with another attempt', () => {
    const told = snaps(text, (episode) => {
      episode.call([system, user], answer('2'));
      episode.call([system, next], null);
      episode.call([system, user, assistant('2'), next], answer('3'));
      episode.tracker.restart();
      episode.call([system, next], answer('3'));
    });
    expect(told).toEqual([]);
  });
});
