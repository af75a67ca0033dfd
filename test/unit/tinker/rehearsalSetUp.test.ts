import { expect, test } from 'vitest';
import {
  setUpFailure,
  SetUpReader,
  type SetUpProgress,
} from '../../../src/tinker/core/rehearsal/setUpProgress.ts';
import { rehearsalEnvironment } from '../../../src/tinker/node/rehearsal/environment.ts';
import { findRehearsalPython, type FoundPython } from '../../../src/tinker/node/rehearsal/python.ts';

const pythons: Readonly<Record<string, FoundPython>> = {
  'python3.11': { executable: '/usr/bin/python3.11', version: '3.11.2', hasVenv: true },
  'python3.13': { executable: '/usr/bin/python3.13', version: '3.13.0', hasVenv: true },
  debian: { executable: '/usr/bin/python3', version: '3.12.3', hasVenv: false },
  old: { executable: '/usr/bin/python3.9', version: '3.9.1', hasVenv: true },
};
const find = (...candidates: readonly string[]): Promise<FoundPython> =>
  findRehearsalPython(candidates, (name) => Promise.resolve(pythons[name]));

test('a newer Python is used before 3.11, and a shim that fails is skipped', async () => {
  expect((await find('shim', 'python3.11', 'old', 'python3.13')).version).toBe('3.13.0');
  expect((await find('python3.11', 'debian')).version).toBe('3.11.2');
});

test('without a suitable Python, the error names those that were found', async () => {
  await expect(find('shim', 'debian', 'old')).rejects.toMatchObject({
    code: 'rehearsal/no-python',
    message: expect.stringMatching(/\/usr\/bin\/python3 .*venv.*\/usr\/bin\/python3\.9/) as string,
  });
  await expect(find('/chosen/python')).rejects.toMatchObject({
    message: expect.stringContaining('/chosen/python') as string,
  });
});

test('pip sees the settings for indexes, and no environment of the user', () => {
  const env = {
    PIP_INDEX_URL: 'https://mirror/simple',
    PIP_TARGET: '/elsewhere',
    PYTHONPATH: '/own',
    VIRTUAL_ENV: '/venv',
    JAX_PLATFORMS: 'cuda',
    HOME: '/home/me',
  };
  const own = { PIP_USER: '0' };
  expect(rehearsalEnvironment({ env, home: '/home/me', platform: 'linux' }, own)).toEqual({
    PIP_INDEX_URL: 'https://mirror/simple',
    HOME: '/home/me',
    PIP_USER: '0',
  });
});

function read(lines: readonly (object | string)[]): {
  reader: SetUpReader;
  progress: readonly SetUpProgress[];
} {
  const progress: SetUpProgress[] = [];
  const reader = new SetUpReader((next) => progress.push(next));
  const events = lines.map((line) => (typeof line === 'string' ? { event: 'pip', line } : line));
  for (const event of events) reader.push(JSON.stringify(event));
  return { reader, progress };
}

test('progress has each package with its size, whatever version of pip writes', () => {
  const { reader, progress } = read([
    { event: 'environment' },
    { event: 'download', packages: 4 },
    'Collecting absl-py==2.5.1',
    '  Downloading absl_py-2.5.1-py3-none-any.whl.metadata (2.3 kB)',
    '  Downloading absl_py-2.5.1-py3-none-any.whl (137 kB)',
    '     ━━━━━━━━━━ 137.4/137.4 kB 5.1 MB/s eta 0:00:00',
    "Ignoring uvloop: markers 'sys_platform != \"win32\"' don't match your environment",
    '  File was already downloaded /cache/jax-0.12.0.1-py3-none-any.whl',
    'Downloading jaxlib-0.12.0.1-cp312-cp312-manylinux_2_27_x86_64.whl (88.2 MB)',
    { event: 'ready', python: '/cache/bin/python' },
  ]);
  const download = { step: 'download', packages: 4 };
  expect(progress).toEqual([
    { step: 'environment' },
    { ...download, name: 'absl_py', number: 1, size: 137e3, downloaded: 0 },
    { ...download, name: 'jax', number: 3, size: 0, downloaded: 137e3 },
    { ...download, name: 'jaxlib', number: 4, size: 88.2e6, downloaded: 137e3 },
  ]);
  expect(reader.python).toBe('/cache/bin/python');
});

const noMatch = 'ERROR: No matching distribution found for jaxlib==0.12.0.1';
const noName = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError'";

test.each([
  ['disk-full', ['[Errno 28] No space left on device'], '[Errno 28] No space left on device'],
  ['no-network', [noName, noMatch], "'NameResolutionError'"],
  ['no-package', [noMatch, 'notice'], noMatch],
  ['failed', ['ERROR: one', 'two'], 'ERROR: one\ntwo'],
] as const)('%s is recognized in the output of pip', (cause, lines, said) => {
  expect(setUpFailure(lines)).toEqual([cause, said]);
});
