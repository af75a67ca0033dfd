import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import path from 'node:path';
import type { LauncherCommand, Launchers, ProgramName } from '../../../core/launch/plan.ts';
import { pythonFacts, pythonQuestion, type PythonFacts } from '../../../core/launch/preflightPython.ts';
import { outputOf } from './runProgram.ts';

/** A launcher and whether it is installed. */
export interface FoundLauncher {
  readonly name: ProgramName;
  readonly start: LauncherCommand;
  readonly found: boolean;
  /** Facts about its Python. Null: it did not answer. */
  readonly python: PythonFacts | null;
}

const names: readonly ProgramName[] = ['ajet', 'trinity'];
/** The first start from a cold disk is slow. */
const patience = 30_000;

/**
 * Finds the launchers that the owner has listed, or else `ajet` and `trinity` on PATH, or else `python -m
 * ajet.launcher`.
 */
export function findLaunchers(listed: Launchers, env: NodeJS.ProcessEnv): Promise<FoundLauncher[]> {
  return Promise.all(names.map((name) => findLauncher(name, listed[name], env)));
}

async function findLauncher(
  name: ProgramName,
  listed: LauncherCommand | undefined,
  env: NodeJS.ProcessEnv,
): Promise<FoundLauncher> {
  const start = listed ?? { command: name, args: [] };
  const executable = await executableOf(start.command, env);
  if (executable !== undefined) {
    const python = await factsOf(await interpreterOf(executable), env);
    return { name, start: { ...start, command: executable }, found: true, python };
  }
  const python = listed === undefined && name === 'ajet' ? await executableOf('python3', env) : undefined;
  const facts = python === undefined ? null : await factsOf(python, env);
  if (python === undefined || typeof facts?.ajet !== 'string') {
    return { name, start, found: false, python: null };
  }
  return { name, start: { command: python, args: ['-m', 'ajet.launcher'] }, found: true, python: facts };
}

/** Returns the absolute path of an executable, if it exists. */
async function executableOf(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = command.includes('/')
    ? ['']
    : (env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  for (const folder of folders) {
    const file = path.resolve(folder, command);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** Returns the Python of a console script, or the executable itself. */
async function interpreterOf(executable: string): Promise<string> {
  const file = await open(executable, 'r');
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1_024), position: 0 });
    const [first = '', second = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
    // pip writes a combined shell and Python script if the path is too long or has a space.
    const direct =
      /^#!\s*(\S*python[\w.]*)\s*$/.exec(first) ?? /^'''exec' "?([^"]*python[\w.]*)"? /.exec(second);
    return direct?.[1] ?? (first.startsWith('#!') ? 'python3' : executable);
  } finally {
    await file.close();
  }
}

async function factsOf(python: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | null> {
  if (!/python[\w.]*$/.test(python)) return null;
  // Isolated mode imports nothing from the working folder.
  const answer = await outputOf(python, ['-I', '-c', pythonQuestion], { milliseconds: patience, env });
  const line = answer?.trim().split('\n').at(-1) ?? '';
  try {
    return pythonFacts.parse(JSON.parse(line));
  } catch {
    return null; // the output is not the answer
  }
}
