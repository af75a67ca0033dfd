/** How a tokenizer that the user names gets into the request of a run. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveLaunch, withSettings } from '../../../../src/debugging/node/launchConfiguration.ts';
import { runArguments } from '../../../../src/backbone/cli/runFlags.ts';
import { parsed } from '../../command/commandLines.ts';

const cwd = path.resolve('/ws');

function resolve(configuration: Record<string, unknown>, isThere = true) {
  return resolveLaunch(
    { config: path.resolve('/ws/a.yaml'), cwd, ...configuration },
    {
      files: {
        exists: (file) => Promise.resolve(isThere || !file.includes('tok')),
        readText: () => Promise.resolve(undefined),
      },
      environment: {},
      savedApiKey: () => Promise.resolve(undefined),
    },
  );
}

describe('the launch attribute tokenizer', () => {
  it('starts from the working directory', async () => {
    const { spec } = await resolve({ tokenizer: 'models/tok' });
    expect(spec.request.tokenizer).toBe(path.resolve('/ws/models/tok'));
    expect((await resolve({})).spec.request).not.toHaveProperty('tokenizer');
  });

  it('wins over the setting', () => {
    expect(withSettings({}, { tokenizer: 'a' })).toEqual({ tokenizer: 'a' });
    expect(withSettings({ tokenizer: 'b' }, { tokenizer: 'a' })).toEqual({ tokenizer: 'b' });
    expect(withSettings({}, { tokenizer: '' })).toEqual({});
  });

  it('has to be there', async () => {
    await expect(resolve({ tokenizer: 'tok' }, false)).rejects.toMatchObject({
      code: 'debug/file-not-found',
    });
  });
});

it('--tokenizer names it on the command line', () => {
  const { options } = runArguments(parsed(['--conf', 'a.yaml', '--tokenizer', 'tok']).values, cwd);
  expect(options.tokenizer).toBe('tok');
});
