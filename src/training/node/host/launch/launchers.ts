import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import path from 'node:path';
import type { LauncherCommand, Launchers, ProgramName } from '../../../core/launch/plan.ts';
import { pythonFacts, pythonQuestion, type PythonFacts } from '../../../core/launch/preflightPython.ts';
import { outputOf } from './runProgram.ts';

/** A launcher as it was found on this machine. */
export interface FoundLauncher {
  readonly name: ProgramName;
  readonly start: LauncherCommand;
  /** Whether the executable is there. */
  readonly found: boolean;
  /** Of the Python that it runs in; null: it did not answer. */
  readonly python: PythonFacts | null;
}

const names: readonly ProgramName[] = ['ajet', 'trinity'];
/** A first start reads much from a cold disk. */
const patience = 30_000;

/**
 * The launchers that the owner has listed, else `ajet` and `trinity` on PATH, else `python -m ajet.launcher` where a Python
 * on PATH has it.
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

/** Absolute; undefined: no such executable. */
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

/** The Python of a console script, from its first lines; the executable itself where it is no script. */
async function interpreterOf(executable: string): Promise<string> {
  const file = await open(executable, 'r');
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1_024), position: 0 });
    const [first = '', second = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
    // pip writes a script of two languages where the path is too long for the first line, or has a space in it.
    const direct =
      /^#!\s*(\S*python[\w.]*)\s*$/.exec(first) ?? /^'''exec' "?([^"]*python[\w.]*)"? /.exec(second);
    return direct?.[1] ?? (first.startsWith('#!') ? 'python3' : executable);
  } finally {
    await file.close();
  }
}

async function factsOf(python: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | null> {
  if (!/python[\w.]*$/.test(python)) return null;
  // Isolated: nothing of the folder that the host was started in is imported.
  const answer = await outputOf(python, ['-I', '-c', pythonQuestion], { milliseconds: patience, env });
  const line = answer?.trim().split('\n').at(-1) ?? '';
  try {
    return pythonFacts.parse(JSON.parse(line));
  } catch {
    return null; // something else than the answer was printed
  }
}
