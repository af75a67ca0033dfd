/** Gives the tests a Python with what workflows import: a virtual environment, made once per user and set of versions. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ToolError, logs, onPath, runLogged, tail } from './commands.mjs';
import { withLock } from './lock.mjs';
import { userCacheFolder } from './vscodeServer.mjs';

const requirements = path.join(import.meta.dirname, 'python-requirements.txt');
const log = path.join(logs, 'setup-python.log');

/**
 * Its executable; where it is missing it is installed first.
 * @returns {Promise<string>}
 */
export async function ensurePython() {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = path.join(userCacheFolder(), 'agentjet-dev', `python-${digest}`);
  const done = path.join(folder, 'installed');
  const python = path.join(
    folder,
    ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']),
  );
  if (existsSync(done)) return python;
  await mkdir(path.dirname(folder), { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(done)) return;
    await rm(folder, { recursive: true, force: true });
    await install(folder, python);
    await writeFile(done, '');
  });
  return python;
}

async function install(folder, python) {
  console.log('Installing Python packages for the tests (once; about half a minute) …');
  const system = onPath(['python3', 'python']);
  if (system === undefined) throw new ToolError('The tests need Python 3.10 or later on PATH.');
  await must('make a virtual environment', system, ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  await must('install Python packages', python, pip);
}

async function must(what, command, args) {
  const code = await runLogged(command, args, { log, env: process.env });
  if (code !== 0) throw new ToolError(`Cannot ${what}:\n${tail(log, 20)}`);
}
