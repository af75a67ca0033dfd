import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeApiKey, encodeApiKey } from '../../../../src/backbone/core/model-tuner/apiKey.ts';
import { fuzz } from '../../fuzz.ts';

const content = {
  agentName: 'solver',
  targetTag: 'main',
  episodeUuid: 'ab'.repeat(16),
  episodeAddress: 'ipc:///tmp/x.sock',
};

function keyOf(value: unknown): string {
  return `sk-ajet-${Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')}`;
}

describe('an API key', () => {
  it('is the base64 of a JSON object with four fields', () => {
    const key = encodeApiKey(content);
    expect(key.startsWith('sk-ajet-')).toBe(true);
    expect(JSON.parse(Buffer.from(key.slice('sk-ajet-'.length), 'base64').toString())).toEqual({
      agent_name: 'solver',
      target_tag: 'main',
      episode_uuid: content.episodeUuid,
      episode_address: 'ipc:///tmp/x.sock',
    });
  });

  it('comes back as it went in, whatever the names are', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(name, name, name, fc.string(), (agentName, targetTag, episodeUuid, episodeAddress) => {
        const given = { agentName, targetTag, episodeUuid, episodeAddress };
        expect(decodeApiKey(encodeApiKey(given))).toEqual(given);
      }),
      fuzz(1, 2000),
    );
  });

  it('is read in the URL-safe alphabet and without padding, with raw UTF-8 inside', () => {
    const fields = { agent_name: 'Löser?>', target_tag: '学生', episode_uuid: 'u' };
    const key = `sk-ajet-${Buffer.from(JSON.stringify(fields)).toString('base64url')}`;
    expect(decodeApiKey(key)).toEqual({
      agentName: 'Löser?>',
      targetTag: '学生',
      episodeUuid: 'u',
      episodeAddress: '',
    });
  });

  it.each([
    ['another prefix', 'sk-proj-abc'],
    ['nothing after the prefix', 'sk-ajet-'],
    ['no base64', 'sk-ajet-!!!'],
    ['no JSON', keyOf('{"agent_name":')],
    ['no object', keyOf('null')],
    ['no UTF-8', `sk-ajet-${Buffer.from([0xff, 0xfe]).toString('base64')}`],
    ['an empty name', keyOf({ agent_name: '', target_tag: 't', episode_uuid: 'u' })],
    ['a missing tag', keyOf({ agent_name: 'a', episode_uuid: 'u' })],
    ['a number for the episode', keyOf({ agent_name: 'a', target_tag: 't', episode_uuid: 3 })],
  ])('is refused with %s', (_, key) => {
    expect(decodeApiKey(key)).toBeUndefined();
  });
});
