import { describe, expect, test } from 'vitest';
import { childEnvironment, withoutAutoAttach } from '../../../../src/base/node/process/environment.ts';

const bootloader = '/home/me/.vscode/extensions/ms-vscode.js-debug/src/bootloader.js';

describe('NODE_OPTIONS without js-debug’s auto attach', () => {
  test.each([
    [`--require ${bootloader} --inspect-publish-uid=http`, ''],
    [` --require "/with space/ms-vscode.js-debug/src/bootloader.js"  --inspect-publish-uid=http`, ''],
    [`--require=${bootloader} --max-old-space-size=8192`, '--max-old-space-size=8192'],
    [`--max-old-space-size=8192 -r ${bootloader}`, '--max-old-space-size=8192'],
    [
      `--require "C:\\\\Users\\\\me\\\\js-debug\\\\bootloader.js" --enable-source-maps`,
      '--enable-source-maps',
    ],
    ['--require ./register.js --import "my loader.mjs"', '--require ./register.js --import "my loader.mjs"'],
    ['--require ./my/bootloader.js', '--require ./my/bootloader.js'],
    ['', ''],
  ])('%s → %s', (options, expected) => {
    expect(withoutAutoAttach(options)).toBe(expected);
  });
});

describe('the environment of a run', () => {
  test('has no variable of the editor’s, and no empty NODE_OPTIONS', () => {
    const inherited = {
      HOME: '/home/me',
      VSCODE_INSPECTOR_OPTIONS: '{}',
      ELECTRON_RUN_AS_NODE: '1',
      ELECTRON_NO_ATTACH_CONSOLE: '1',
      NODE_OPTIONS: `--require ${bootloader}`,
      GONE: undefined,
    };
    expect(childEnvironment(inherited, [], 'linux')).toEqual({ HOME: '/home/me' });
  });

  test('later layers win, null takes away, and what a layer gives is taken as it is', () => {
    const layers = [{ A: '2', B: null, NODE_OPTIONS: '--trace-warnings' }, { ELECTRON_RUN_AS_NODE: '1' }];
    expect(childEnvironment({ A: '1', B: '1', C: '1' }, layers, 'linux')).toEqual({
      A: '2',
      C: '1',
      NODE_OPTIONS: '--trace-warnings',
      ELECTRON_RUN_AS_NODE: '1',
    });
  });

  test('names differ by case, except on Windows', () => {
    expect(childEnvironment({ Path: 'a' }, [{ PATH: 'b' }], 'win32')).toEqual({ PATH: 'b' });
    expect(childEnvironment({ Path: 'a' }, [{ PATH: 'b' }], 'darwin')).toEqual({ Path: 'a', PATH: 'b' });
    expect(childEnvironment({ Path: 'a' }, [{ PATH: null }], 'win32')).toEqual({});
  });
});
