import { describe, expect, it } from 'vitest';
import { findInterpreter, type InterpreterSearch } from '../../../src/node/python/interpreter.ts';

function search(there: readonly string[], changes: Partial<InterpreterSearch> = {}): Promise<string> {
  return findInterpreter({
    chosen: undefined,
    cwd: '/project',
    folders: ['/project', '/project/conf'],
    platform: 'linux',
    files: { exists: (file) => Promise.resolve(there.includes(file)) },
    ...changes,
  });
}

describe('the interpreter', () => {
  const beside = '/project/conf/.venv/bin/python';
  const inFolder = '/project/.venv/bin/python';

  it.each([
    ['what was chosen', [inFolder], { chosen: '/opt/python' }, '/opt/python'],
    [
      'what was chosen, from the working directory',
      [inFolder],
      { chosen: 'env/bin/python' },
      '/project/env/bin/python',
    ],
    ['a name, which PATH resolves', [inFolder], { chosen: 'python3.12' }, 'python3.12'],
    ['the working directory’s environment', [beside, inFolder], {}, inFolder],
    ['the environment beside the config', [beside], {}, beside],
    ['what PATH has', [], {}, 'python3'],
    ['what PATH has on Windows', [], { platform: 'win32' }, 'python'],
  ] as const)('is %s', async (_, there, changes, expected) => {
    expect(await search(there, changes)).toBe(expected);
  });
});
