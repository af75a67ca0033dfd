import { describe, expect, test } from 'vitest';
import {
  chooseRuntime,
  describeRuntime,
  type RuntimeSearch,
} from '../../../../src/base/node/runtime/chooseRuntime.ts';
import { missing, type ProbeResult } from '../../../../src/base/node/runtime/probe.ts';

const all = { registerHooks: true, stripTypes: true, sqlite: true };

function node(version: string, features: Partial<typeof all> = {}): ProbeResult {
  return { ok: true, version, features: { ...all, ...features } };
}

/** A machine with these executables; what is asked of it is written down. */
function machine(
  executables: Readonly<Record<string, ProbeResult>>,
  search: Omit<RuntimeSearch, 'probe'>,
): RuntimeSearch & { readonly probed: string[] } {
  const probed: string[] = [];
  return {
    ...search,
    probed,
    probe: (executable) => {
      probed.push(executable);
      return Promise.resolve(executables[executable] ?? { ok: false, reason: missing });
    },
  };
}

const posix = { path: '/a/bin:/b/bin', platform: 'linux', editorExecPath: '/opt/code/code' } as const;
const windows = {
  path: 'C:\\nodejs;"D:\\my tools"',
  platform: 'win32',
  editorExecPath: 'C:\\Code\\Code.exe',
} as const;

describe('which Node runs a workflow', () => {
  test.each([
    [
      'the first on PATH',
      posix,
      { '/a/bin/node': node('22.18.0'), '/b/bin/node': node('24.0.0') },
      '/a/bin/node',
    ],
    [
      'the first that is new enough',
      posix,
      { '/a/bin/node': node('22.17.1'), '/b/bin/node': node('24.0.0') },
      '/b/bin/node',
    ],
    ['one newer than any we know', posix, { '/b/bin/node': node('30.1.0') }, '/b/bin/node'],
    ['macOS as Linux', { ...posix, platform: 'darwin' }, { '/b/bin/node': node('24.0.0') }, '/b/bin/node'],
    ['an .exe on Windows', windows, { 'C:\\nodejs\\node.exe': node('24.0.0') }, 'C:\\nodejs\\node.exe'],
    [
      'a quoted folder of PATH',
      windows,
      { 'D:\\my tools\\node.exe': node('24.0.0') },
      'D:\\my tools\\node.exe',
    ],
    [
      'no file of a relative folder',
      { ...posix, path: 'bin::./x:/a/bin' },
      { '/a/bin/node': node('24.0.0') },
      '/a/bin/node',
    ],
  ] as const)('%s', async (_, search, executables, expected) => {
    const runtime = await chooseRuntime(machine(executables, search));
    expect(runtime).toMatchObject({ executable: expected, env: {}, why: 'path' });
  });

  test.each([
    ['the only one is too old', posix, { '/a/bin/node': node('20.20.2') }],
    ['one has no module hooks', posix, { '/a/bin/node': node('23.4.0', { registerHooks: false }) }],
    ['one cannot be run', posix, { '/a/bin/node': { ok: false, reason: 'cannot be run: EACCES' } }],
    ['there is none', { ...posix, path: '' }, {}],
    ['there is none on Windows', windows, {}],
  ] as const)('the editor’s own when %s', async (_, search, others) => {
    const editor = node('22.20.0', { stripTypes: false });
    const runtime = await chooseRuntime(machine({ ...others, [search.editorExecPath]: editor }, search));
    expect(runtime).toEqual({
      executable: search.editorExecPath,
      env: { ELECTRON_RUN_AS_NODE: '1' },
      version: '22.20.0',
      features: { registerHooks: true, stripTypes: false, sqlite: true },
      why: 'editor',
    });
  });

  test('none is asked that is not needed', async () => {
    const search = machine({ '/a/bin/node': node('24.0.0') }, { ...posix, path: '/a/bin:/a/bin:/b/bin' });
    await chooseRuntime(search);
    expect(search.probed).toEqual(['/a/bin/node']);
  });

  test('when there is none, the error tells each and why not', async () => {
    const old = node('18.1.0');
    // The second is most likely a link to the first.
    const executables = { '/a/bin/node': old, '/b/bin/node': old, '/opt/code/code': node('22.9.0') };
    await expect(chooseRuntime(machine(executables, posix))).rejects.toMatchObject({
      code: 'runtime/none-found',
      message:
        'AgentJet needs Node.js 22.18 or later to run a workflow, but found none. ' +
        'Tried: /a/bin/node, which is Node 18.1.0; /opt/code/code, which is Node 22.9.0.',
    });
    const nothing = { path: '', platform: 'linux' } as const;
    await expect(chooseRuntime(machine({}, nothing))).rejects.toThrow('PATH has no node.');
  });
});

describe('the setting', () => {
  const good = {
    '/a/bin/node': node('24.0.0'),
    '/my/node': node('22.18.0'),
    '/b/bin/mynode': node('24.1.0'),
  };

  test.each([
    ['a path', '/my/node', '/my/node'],
    ['a name on PATH', 'mynode', '/b/bin/mynode'],
  ])('%s wins', async (_, setting, executable) => {
    const runtime = await chooseRuntime(machine(good, { ...posix, setting }));
    expect(runtime).toMatchObject({ executable, why: 'setting' });
  });

  test('empty is none', async () => {
    expect(await chooseRuntime(machine(good, { ...posix, setting: '' }))).toMatchObject({ why: 'path' });
  });

  test.each([
    ['/no/node', 'does not exist'],
    ['no-node', 'is not on PATH'],
    ['/old/node', 'is Node 20.0.0'],
    ['/hookless/node', 'is Node 23.0.0 without module.registerHooks'],
    ['/broken/node', 'cannot be run: EACCES'],
  ])('%s, which %s, is an error and never replaced', async (setting, why) => {
    const executables = {
      ...good,
      '/old/node': node('20.0.0'),
      '/hookless/node': node('23.0.0', { registerHooks: false }),
      '/broken/node': { ok: false, reason: 'cannot be run: EACCES' },
    } as const;
    await expect(chooseRuntime(machine(executables, { ...posix, setting }))).rejects.toMatchObject({
      code: 'runtime/setting-unusable',
      message: `The configured Node.js, ${setting}, ${why}. AgentJet needs Node.js 22.18 or later.`,
    });
  });
});

test.each([
  [{ ...posix }, 'Node 24.0.0 at /a/bin/node (the first suitable one on PATH)'],
  [{ ...posix, setting: '/a/bin/node' }, 'Node 24.0.0 at /a/bin/node (set by "agentjet.runtimeExecutable")'],
  [
    { ...posix, path: '' },
    'Node 22.20.0 at /opt/code/code (that of the editor, because none on PATH is suitable); compiles TypeScript',
  ],
])('the choice in one line', async (search, line) => {
  const executables = {
    '/a/bin/node': node('24.0.0'),
    '/opt/code/code': node('22.20.0', { stripTypes: false }),
  };
  expect(describeRuntime(await chooseRuntime(machine(executables, search)))).toBe(line);
});

describe('which Node reads traces', () => {
  const traces = { ...posix, purpose: 'traces' } as const;

  test('the first that has SQLite, whether or not it could run a workflow', async () => {
    const executables = {
      '/a/bin/node': node('24.0.0', { sqlite: false }),
      '/b/bin/node': node('22.13.0', { registerHooks: false }),
    };
    expect(await chooseRuntime(machine(executables, traces))).toMatchObject({ executable: '/b/bin/node' });
  });

  test("the editor's own where PATH has none", async () => {
    const executables = {
      '/a/bin/node': node('20.1.0', { sqlite: false }),
      '/opt/code/code': node('24.1.0'),
    };
    expect(await chooseRuntime(machine(executables, traces))).toMatchObject({
      executable: '/opt/code/code',
      env: { ELECTRON_RUN_AS_NODE: '1' },
    });
  });

  test('none, and what each lacks is told', async () => {
    const executables = {
      '/a/bin/node': node('20.1.0', { sqlite: false }),
      '/opt/code/code': node('22.20.0', { sqlite: false }),
    };
    await expect(chooseRuntime(machine(executables, traces))).rejects.toMatchObject({
      code: 'runtime/none-found',
      message:
        'AgentJet needs Node.js 22.18 or later to read traces, but found none. Tried: /a/bin/node, which is Node 20.1.0 without node:sqlite; /opt/code/code, which is Node 22.20.0 without node:sqlite.',
    });
    const named = { ...traces, setting: '/a/bin/node' };
    await expect(chooseRuntime(machine(executables, named))).rejects.toMatchObject({
      code: 'runtime/setting-unusable',
    });
  });
});
