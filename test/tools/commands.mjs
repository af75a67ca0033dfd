/** Running other programs from the project's tools. Plain Node 20, no packages. */
import { spawn } from 'node:child_process';
import { accessSync, constants, createWriteStream, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const artifacts = path.join(root, '.artifacts');
export const logs = path.join(artifacts, 'logs');
const windows = process.platform === 'win32';

/** A failure whose message tells the reader all there is to know: printed without a stack. */
export class ToolError extends Error {
  name = 'ToolError';
}

/** The Node.js that the project's tools and tests run on, once packages are installed. */
export const projectNode = path.join(root, 'node_modules/node/bin', windows ? 'node.exe' : 'node');

/** The environment in which `node` and every installed tool are the project's own. */
export function projectEnv(env = process.env) {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const folders = [path.dirname(projectNode), path.join(root, 'node_modules/.bin')];
  return { ...env, [key]: [...folders, env[key] ?? ''].join(path.delimiter) };
}

/** The full path of the first program of these names on `searchPath`, or undefined. */
export function onPath(names, searchPath = process.env.PATH ?? '') {
  const endings = windows ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of searchPath.split(path.delimiter).filter((entry) => entry !== '')) {
    for (const file of names.flatMap((name) => endings.map((ending) => path.join(folder, name + ending)))) {
      if (isProgram(file)) return file;
    }
  }
  return undefined;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not ours to run: the search goes on.
    return false;
  }
}

/**
 * Runs a program with all its output in `log` (appended) and waits for its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>} the exit code; 127 when the program does not exist
 */
export async function runLogged(command, args, { log, cwd = root, env = process.env }) {
  await mkdir(path.dirname(log), { recursive: true });
  const output = createWriteStream(log, { flags: 'a' });
  await once(output, 'open');
  output.write(`$ ${[command, ...args].join(' ')}\n`);
  try {
    const child = spawnProgram(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    return await exitCode(child);
  } finally {
    output.end();
    await once(output, 'close');
  }
}

/** `npm` is a batch file on Windows, which only a shell can run. */
export function spawnProgram(command, args, options) {
  const needsShell = windows && !command.toLowerCase().endsWith('.exe');
  return spawn(command, args, { ...options, shell: needsShell });
}

/** Waits for a child's end: its exit code, 128 + n for a signal, 127 when it does not exist. */
export function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      if (error.code === 'ENOENT') resolve(127);
      else reject(error);
    });
    child.on('close', (code) => resolve(code ?? 128));
  });
}

/** Runs a program in the foreground; the terminal's Ctrl-C and a SIGTERM to us reach it, and it decides. */
export async function runForeground(command, args, options = {}) {
  const child = spawnProgram(command, args, { cwd: root, stdio: 'inherit', ...options });
  const leaveToChild = () => undefined;
  const passOn = (signal) => child.kill(signal);
  process.on('SIGINT', leaveToChild);
  process.on('SIGTERM', passOn);
  try {
    return await exitCode(child);
  } finally {
    process.off('SIGINT', leaveToChild);
    process.off('SIGTERM', passOn);
  }
}

/** The last lines of a log file, or nothing when there is none. */
export function tail(file, lines) {
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/** Prints what went wrong, without a stack where the message is meant for people, and ends the process. */
export function exitWith(error) {
  console.error(error instanceof ToolError ? `error: ${error.message}` : error);
  process.exit(1);
}
