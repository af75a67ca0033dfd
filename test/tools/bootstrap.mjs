/**
 * Makes a fresh clone ready: installs the packages, builds if asked to, then runs a command if one is given. All it
 * needs is Node 20 and npm. When nothing is to be done it takes a few milliseconds.
 *
 *   node test/tools/bootstrap.mjs [--build] [-- command [argument …]]
 *
 * --build     builds dist/ when it is older than its sources
 * -- command  runs with the project's own Node.js and tools first on PATH. (After `&&` in an npm script the shell
 *             would use the `node` that it found before the installation.)
 */
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {
  ToolError,
  exitWith,
  logs,
  projectEnv,
  projectNode,
  root,
  runForeground,
  runLogged,
  tail,
} from './commands.mjs';
import { withLock } from './lock.mjs';

const oldestNode = 20;
/** Written by esbuild.mjs as its last act. */
const builtStamp = path.join(root, 'dist/.built');
const sources = ['src', 'esbuild.mjs', 'package.json', 'package-lock.json', 'tsconfig.base.json'];

/** Installs what is missing and, if asked to, builds what is out of date. */
async function bootstrap(build) {
  requireNode();
  if (await isReady(build)) return;
  const onWait = (pid) =>
    console.error(`Waiting for another set-up to finish (process ${pid ?? 'unknown'}) …`);
  await withLock(
    path.join(root, '.artifacts/setup.lock'),
    async () => {
      if (!(await isInstalled())) await install();
      if (build && !(await isBuilt())) await buildDist();
    },
    { onWait },
  );
}

function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= oldestNode) return;
  throw new ToolError(
    `Node.js ${process.versions.node} is too old: install Node.js ${oldestNode} or newer and try again.`,
  );
}

async function isReady(build) {
  return (await isInstalled()) && (!build || (await isBuilt()));
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes what it installed, as its last act, to a
 * lock file inside node_modules, so that an interrupted or hand-made installation is told from a complete one.
 */
async function isInstalled() {
  const [wanted, installed] = await Promise.all([
    packagesOf('package-lock.json'),
    packagesOf('node_modules/.package-lock.json'),
  ]);
  if (wanted === undefined || installed === undefined || !(await exists(projectNode))) return false;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === '') return true;
    const found = installed[name];
    if (found === undefined) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

async function packagesOf(file) {
  try {
    return JSON.parse(await readFile(path.join(root, file), 'utf8')).packages;
  } catch {
    // Missing or cut short: either way nothing is known to be installed.
    return undefined;
  }
}

async function exists(file) {
  return (await statOf(file)) !== undefined;
}

async function statOf(file) {
  try {
    return await stat(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Folders count too: their time of change is how a deleted file shows. */
async function isBuilt() {
  const stamp = await statOf(builtStamp);
  if (stamp === undefined) return false;
  const times = await Promise.all(sources.map((entry) => newestIn(path.join(root, entry))));
  return Math.max(...times) < stamp.mtimeMs;
}

/** The latest change at or below `entry`, in milliseconds; 0 for what is gone by the time it is looked at. */
async function newestIn(entry) {
  const info = await statOf(entry);
  if (info === undefined) return 0;
  if (!info.isDirectory()) return info.mtimeMs;
  const below = await Promise.all((await readdir(entry)).map((name) => newestIn(path.join(entry, name))));
  return Math.max(info.mtimeMs, ...below);
}

async function install() {
  console.error('Installing packages (once; about half a minute) …');
  const log = path.join(logs, 'setup-install.log');
  await rm(log, { force: true });
  const code = await runLogged('npm', ['ci', '--no-audit', '--no-fund'], { log });
  if (code === 127)
    throw new ToolError('npm was not found: install Node.js together with npm and try again.');
  if (code !== 0) throw new ToolError(installFailure(tail(log, Infinity)));
  if (!(await exists(projectNode))) {
    throw new ToolError(
      'npm did not run the install script of the package "node": run `npm rebuild node` and try again.',
    );
  }
}

const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

function installFailure(output) {
  const cause = unreachable.exec(output);
  const summary =
    cause === null
      ? '`npm ci` failed.'
      : `npm cannot reach its registry (${cause[0]}): check the network, the proxy and \`npm config get registry\`.`;
  return `${summary}\n\n${output}`;
}

/** The stamp gets the time of the build's start: a source saved during the build is newer and is built again. */
async function buildDist() {
  console.error('Building …');
  const started = new Date();
  const log = path.join(logs, 'setup-build.log');
  await rm(log, { force: true });
  const code = await runLogged(projectNode, ['esbuild.mjs'], { log, env: projectEnv() });
  if (code !== 0) throw new ToolError(`The build failed.\n\n${tail(log, Infinity)}`);
  await utimes(builtStamp, started, started);
}

function parseArguments(args) {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  const unknown = flags.find((flag) => flag !== '--build');
  if (unknown !== undefined) throw new ToolError(`Unknown option ${unknown}: see the head of bootstrap.mjs.`);
  return { build: flags.includes('--build'), command: end === -1 ? [] : args.slice(end + 1) };
}

async function main() {
  const { build, command } = parseArguments(process.argv.slice(2));
  await bootstrap(build);
  const [program, ...args] = command;
  if (program === undefined) return;
  const file = program === 'node' ? projectNode : program;
  process.exitCode = await runForeground(file, args, { cwd: process.cwd(), env: projectEnv() });
}

await main().catch(exitWith);
