import { describe, expect, it } from 'vitest';
import {
  environmentOf,
  findInterpreter,
  type Interpreter,
  type InterpreterSearch,
} from '../../../../src/backbone/node/python/interpreter.ts';

function search(there: readonly string[], changes: Partial<InterpreterSearch> = {}): Promise<Interpreter> {
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

  const selected = '/opt/conda/bin/python';
  const setting = '/usr/bin/python3.12';

  it.each([
    ['what was chosen', [inFolder], { chosen: '/opt/python', selected, setting }, '/opt/python', 'chosen'],
    [
      'what was chosen, from the working directory',
      [inFolder],
      { chosen: 'env/bin/python' },
      '/project/env/bin/python',
      'chosen',
    ],
    ['a name, which PATH resolves', [inFolder], { chosen: 'python3.12' }, 'python3.12', 'chosen'],
    ['what the editor has selected', [inFolder], { selected, setting }, selected, 'selected'],
    ['the working directory’s environment', [beside, inFolder], { setting }, inFolder, 'environment'],
    ['the environment beside the config', [beside], { setting }, beside, 'environment'],
    [
      'an environment that has lost its Python',
      ['/project/.venv/pyvenv.cfg', beside],
      {},
      inFolder,
      'environment',
    ],
    ['the setting’s', [], { setting }, setting, 'setting'],
    ['the setting’s, from the working directory', [], { setting: './py' }, '/project/py', 'setting'],
    ['what PATH has', [], { chosen: '', selected: '', setting: '' }, 'python3', 'path'],
    ['what PATH has on Windows', [], { platform: 'win32' }, 'python', 'path'],
  ] as const)('is %s', async (_, there, changes, executable, why) => {
    expect(await search(there, changes)).toEqual({ executable, why });
  });

  it.each([
    [inFolder, '/project/.venv'],
    ['python3', undefined],
    ['/usr/bin/python3', undefined],
  ])('knows the environment of %s', async (executable, environment) => {
    const files = { exists: (file: string) => Promise.resolve(file === '/project/.venv/pyvenv.cfg') };
    expect(await environmentOf(executable, files)).toBe(environment);
  });
});
