/** What other extensions tell of Python, on the shapes in which ms-python.python and ms-python.debugpy give it. */
import { describe, expect, it } from 'vitest';
import {
  bundledDebugpy,
  selectedInterpreter,
  type ExtensionSource,
} from '../../../../src/debugging/editor/python/pythonApi.ts';
import { FakeClock } from '../../fakeClock.ts';

/** Of `resolveEnvironment`, for a virtual environment in the folder. */
const venv = {
  id: '/home/me/project/.venv/bin/python',
  path: '/home/me/project/.venv/bin/python',
  executable: {
    uri: {
      scheme: 'file',
      path: '/home/me/project/.venv/bin/python',
      fsPath: '/home/me/project/.venv/bin/python',
    },
    bitness: '64-bit',
    sysPrefix: '/home/me/project/.venv',
  },
  environment: {
    type: 'VirtualEnvironment',
    name: '.venv',
    folderUri: { scheme: 'file', path: '/home/me/project/.venv', fsPath: '/home/me/project/.venv' },
    workspaceFolder: undefined,
  },
  version: {
    major: 3,
    minor: 12,
    micro: 4,
    release: { level: 'final', serial: 0 },
    sysVersion: '3.12.4 (main)',
  },
  tools: ['Venv'],
};
/** One of conda's in which Python was never installed is named by its folder. */
const emptyConda = {
  ...venv,
  id: '/opt/conda/envs/empty',
  path: '/opt/conda/envs/empty',
  executable: { uri: undefined, bitness: 'Unknown', sysPrefix: '' },
};

const folder = { fsPath: '/home/me/project' };

interface Api {
  readonly active: () => unknown;
  readonly resolved?: (asked: unknown) => Promise<unknown>;
  readonly activate?: () => Promise<unknown>;
}

function source({ active, resolved = () => Promise.resolve(venv), activate }: Api): ExtensionSource {
  const environments = {
    known: [venv],
    getActiveEnvironmentPath(resource: unknown) {
      expect(resource).toBe(folder);
      return active();
    },
    resolveEnvironment: resolved,
  };
  return {
    getExtension: (id) =>
      id === 'ms-python.python'
        ? {
            extensionPath: '/extensions/ms-python.python-1.2.3',
            activate: activate ?? (() => Promise.resolve({ environments, debug: {}, settings: {} })),
          }
        : undefined,
  };
}

const activeVenv = (): object => ({ id: venv.id, path: venv.path });

async function ask(
  extensions: ExtensionSource,
  waited = 0,
): Promise<{ selected: string | undefined; warnings: string[] }> {
  const warnings: string[] = [];
  const clock = new FakeClock();
  const asked = selectedInterpreter(extensions, folder, { clock, warn: (text) => warnings.push(text) });
  clock.advance(waited);
  return { selected: await asked, warnings };
}

describe('the interpreter that the Python extension has selected', () => {
  it('is the executable of the folder’s environment', async () => {
    expect(await ask(source({ active: activeVenv }))).toEqual({
      selected: venv.path,
      warnings: [],
    });
  });

  it('is asked anew each time', async () => {
    let path = venv.path;
    const extensions = source({
      active: () => ({ id: path, path }),
      resolved: () => Promise.resolve(undefined),
    });
    expect((await ask(extensions)).selected).toBe(venv.path);
    path = '/usr/bin/python3.13';
    expect((await ask(extensions)).selected).toBe('/usr/bin/python3.13');
  });

  it('is the path as it was selected where it cannot be resolved', async () => {
    const { selected } = await ask(
      source({
        active: () => ({ id: emptyConda.id, path: emptyConda.path }),
        resolved: () => Promise.resolve(emptyConda),
      }),
    );
    expect(selected).toBe('/opt/conda/envs/empty');
  });

  it.each<[string, ExtensionSource]>([
    ['there is no such extension', { getExtension: () => undefined }],
    ['nothing was selected', source({ active: () => ({ id: 'DEFAULT_PYTHON', path: 'python' }) })],
  ])('is none where %s', async (_, extensions) => {
    expect(await ask(extensions)).toEqual({ selected: undefined, warnings: [] });
  });

  it.each<[string, Api]>([
    ['it cannot start', { active: activeVenv, activate: () => Promise.reject(new Error('broken')) }],
    ['it has another API', { active: activeVenv, activate: () => Promise.resolve({ exports: {} }) }],
    ['it has none', { active: activeVenv, activate: () => Promise.resolve(undefined) }],
    ['it answers something else', { active: () => '/usr/bin/python' }],
    ['it throws', { active: activeVenv, resolved: () => Promise.reject(new Error('untrusted')) }],
  ])('is none, with a warning, where %s', async (_, api) => {
    const { selected, warnings } = await ask(source(api));
    expect(selected).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringContaining('The Python extension did not return its interpreter'),
    ]);
  });

  it('is waited for no longer than five seconds', async () => {
    const never = source({ active: activeVenv, activate: () => new Promise(() => undefined) });
    const { selected, warnings } = await ask(never, 5000);
    expect(selected).toBeUndefined();
    expect(warnings).toEqual([
      'The Python extension did not respond within 5 s, so its interpreter is not used.',
    ]);
  });
});

describe('the Python Debugger extension’s debugpy', () => {
  it('lies in its bundled libraries', () => {
    const extensionPath = '/extensions/ms-python.debugpy-1.2.3';
    const extensions: ExtensionSource = {
      getExtension: (id) =>
        id === 'ms-python.debugpy' ? { extensionPath, activate: () => Promise.resolve() } : undefined,
    };
    expect(bundledDebugpy(extensions)).toBe(`${extensionPath}/bundled/libs`);
    expect(bundledDebugpy({ getExtension: () => undefined })).toBeUndefined();
  });
});
