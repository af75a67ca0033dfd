/**
 * Gives the tests a Python with what workflows import: virtual environments, made once per user and set of versions.
 * Each is a list in test/tools/python, NAME.txt, which pins all of what NAME.in asks for. A folder NAME has modules of
 * our own that are copied next to the packages. To update the pins:
 *
 *   uv pip compile --universal --python-version 3.10 --no-emit-index-url --no-annotate --no-header NAME.in
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ToolError, logs, onPath, runLogged, tail } from './commands.mjs';
import { withLock } from './lock.mjs';
import { userCacheFolder } from './vscodeServer.mjs';

const lists = path.join(import.meta.dirname, 'python');
const log = path.join(logs, 'setup-python.log');

/**
 * Its executable; where it is missing it is installed first.
 * @param {import('./pythonEnvironments.d.mts').PythonEnvironment} [name] base: what AgentJet's own names need, and OpenAI's client; agents: the
 *   agent frameworks, AgentScope at its current version; agentscope1: AgentScope 1.0; ray: Ray with its
 *   Jobs API; trinity: Trinity-RFT with the SDK of Tinker and without an inference engine, 6 GB, for Python 3.11;
 *   ajet: AgentJet without PyTorch, 0.8 GB, for Python 3.11;
 *   llm: llama.cpp and a small model, 0.3 GB; llm_agents: more agent frameworks;
 *   uv: what installs all these
 * @returns {Promise<string>}
 */
export async function ensurePython(name = 'base') {
  const list = path.join(lists, `${name}.txt`);
  const modules = path.join(lists, name);
  const hash = createHash('sha256').update(readFileSync(list));
  for (const file of modulesIn(modules)) hash.update(file).update(readFileSync(path.join(modules, file)));
  const digest = hash.digest('hex').slice(0, 12);
  const folder = path.join(userCacheFolder(), 'agentjet-dev', `python-${name}-${digest}`);
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
    await install(folder, python, list);
    if (existsSync(modules)) await copyModules(modules, folder);
    await writeFile(done, '');
  });
  return python;
}

function modulesIn(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true }).map(String);
  return files.filter((file) => file.endsWith('.py')).sort();
}

async function copyModules(modules, folder) {
  const lib = path.join(folder, 'lib');
  for (const version of await readdir(lib)) {
    await cp(modules, path.join(lib, version, 'site-packages'), { recursive: true });
  }
}

async function install(folder, python, list) {
  console.log(`Installing ${path.basename(list)} for the tests (once; up to a minute) …`);
  const system = onPath(['python3', 'python']);
  if (system === undefined) throw new ToolError('The tests need Python 3.10 or later on PATH.');
  if (path.basename(list) !== 'uv.txt') {
    // In a tenth of pip's time.
    if (await installedByUv(folder, { system, python, list })) return;
    console.log('uv did not get through; pip tries as well, in minutes.');
    await rm(folder, { recursive: true, force: true });
  }
  await must('make a virtual environment', system, ['-m', 'venv', folder]);
  // What is compiled at its first import is a tenth of what is there.
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps'];
  await must('install Python packages', python, [...pip, '-r', list]);
}

async function installedByUv(folder, { system, python, list }) {
  const uv = path.join(path.dirname(await ensurePython('uv')), 'uv');
  const run = async (...args) =>
    (await runLogged(uv, ['--quiet', ...args], { log, env: uvEnvironment() })) === 0;
  return (
    (await run('venv', '--seed', '--python', system, folder)) &&
    // The list names everything.
    (await run('pip', 'install', '--python', python, '--no-deps', '-r', list))
  );
}

/** Where pip is told of a registry and certificates, uv hears of them, too. */
function uvEnvironment() {
  const { PIP_INDEX_URL: index, PIP_CERT: certificates } = process.env;
  return {
    ...(index !== undefined && { UV_DEFAULT_INDEX: index }),
    ...(certificates !== undefined && { SSL_CERT_FILE: certificates }),
    UV_CACHE_DIR: path.join(userCacheFolder(), 'agentjet-dev', 'uv'),
    ...process.env,
  };
}

async function must(what, command, args) {
  const code = await runLogged(command, args, { log, env: process.env });
  if (code !== 0) throw new ToolError(`Cannot ${what}:\n${tail(log, 20)}`);
}
