import { describe, expect, it } from 'vitest';
import { parseEnvFile } from '../../../src/base/node/dotEnv.ts';

describe('references in an env file', () => {
  it('become the value in the environment, else of an earlier line, else the default or nothing', () => {
    const text = [
      'HOST=local',
      'URL=http://${HOST}/${USER_NAME}',
      'KEY=${NONE:-fallback}',
      'EMPTY=a${NONE}b',
    ].join('\n');
    expect(parseEnvFile(text, { USER_NAME: 'me' })).toEqual({
      HOST: 'local',
      URL: 'http://local/me',
      KEY: 'fallback',
      EMPTY: 'ab',
    });
    expect(parseEnvFile('HOST=local\nURL=${HOST}', { HOST: 'outside' })['URL']).toBe('outside');
  });

  it('are only those in braces', () => {
    expect(parseEnvFile('HOST=local\nTEXT=$HOST', {})['TEXT']).toBe('$HOST');
  });
});
