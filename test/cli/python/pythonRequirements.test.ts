/** The packages of requirements.txt: which are missing, and an environment made of them. */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { CancellationSource } from '../../../src/base/core/cancellation.ts';
import { installRequirements } from '../../../src/backbone/node/python/debugpy.ts';
import { pathExists } from '../../../src/base/node/files.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';

const run = promisify(execFile);

let executable: string;
beforeAll(async () => {
  executable = await ensurePython();
}, 300_000);

async function folderWith(requirements: string): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'agentjet-requirements-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'requirements.txt'), requirements);
  return folder;
}

const workerFolder = (): string => path.join(inject('dist'), 'python');

async function missingIn(requirements: string): Promise<readonly string[]> {
  const folder = await folderWith(requirements);
  const code = [
    'import json, sys',
    'from agentjet_worker.requirements import missing_packages',
    'print(json.dumps(missing_packages([sys.argv[1]], True)))',
  ].join('\n');
  const env = { ...process.env, PYTHONPATH: workerFolder() };
  const { stdout } = await run(executable, ['-c', code, folder], { env });
  const found = JSON.parse(stdout) as { file: string; packages: string[] } | null;
  if (found !== null) expect(found.file).toBe(path.join(folder, 'requirements.txt'));
  return found?.packages ?? [];
}

it.each([
  ['pydantic>=2\n# no-such-comment\n', []],
  ['Pydantic\nno-such-package[extra]==1.0 # why\nother_missing ~= 2\n', ['no-such-package', 'other_missing']],
  // Not checked: packages that AgentJet includes, options of pip, URLs, and packages for some systems only.
  ['agentjet\n-r other.txt\nx @ https://127.0.0.1/x.zip\nno-such; sys_platform == "win32"\n', []],
])('finds the missing packages of %j', async (requirements, missing) => {
  expect(await missingIn(requirements)).toEqual(missing);
});

it('creates an environment with the packages', async () => {
  const folder = await folderWith('# none\n');
  const environment = path.join(folder, '.venv');
  const isDone = await installRequirements({
    executable,
    workerFolder: workerFolder(),
    requirements: path.join(folder, 'requirements.txt'),
    environment,
    cancellation: new CancellationSource().token,
    onLine: () => undefined,
  });
  expect(isDone).toBe(true);
  expect(await pathExists(path.join(environment, 'pyvenv.cfg'))).toBe(true);
});

it('leaves no environment without the packages', async () => {
  const folder = await folderWith('no-such-package\n');
  const environment = path.join(folder, '.venv');
  const installer = path.join(folder, 'python');
  const lines = ['#!/bin/sh', 'mkdir "$4"', 'echo "no such thing"', 'echo "ERROR: no package"', 'exit 1'];
  await writeFile(installer, lines.join('\n'), { mode: 0o755 });
  const installing = installRequirements({
    executable: installer,
    workerFolder: workerFolder(),
    requirements: path.join(folder, 'requirements.txt'),
    environment,
    cancellation: new CancellationSource().token,
    onLine: () => undefined,
  });
  await expect(installing).rejects.toThrow(/installed: ERROR: no package$/);
  expect(await pathExists(environment)).toBe(false);
});
