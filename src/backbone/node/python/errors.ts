import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';
import type { WorkerFailure } from '../../core/protocol/worker.ts';

/** An error of the user's Python, with its location and traceback. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
  readonly location: Location | undefined;
  readonly userStack: string | undefined;
  readonly #failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.message);
    this.#failure = failure;
    const { file, line, stack, userStack } = failure;
    this.userStack = userStack;
    this.location = file === undefined ? undefined : { file, ...(line !== undefined && { line }) };
    if (stack !== undefined) this.stack = stack;
  }

  /** Returns an error with a code if the worker knows one. */
  coded(): CodedError | undefined {
    const { code, message, hint } = this.#failure;
    if (code === undefined) return undefined;
    return new CodedError({ code, message, hint, location: this.location, cause: this });
  }
}

/** The Python interpreter that an error names. */
export interface InterpreterInfo {
  readonly executable: string;
  /** The virtual environment of the interpreter, which can be recreated. */
  readonly environment: string | undefined;
}

export const pythonErrors = {
  notFound: (python: InterpreterInfo, cause: unknown): CodedError =>
    new CodedError({
      code: 'python/not-found',
      message: `${python.executable} cannot be started: ${startFailure(cause)}.`,
      hint: howToFix(python),
      cause,
    }),
  didNotStart: (python: InterpreterInfo, how: string): CodedError =>
    new CodedError({
      code: 'python/did-not-start',
      message: `${python.executable} ended before it was ready: ${how}.`,
      hint: `See its output for the reason. ${howToFix(python)}`,
    }),
  hangs: ({ executable }: InterpreterInfo, seconds: number): CodedError =>
    new CodedError({
      code: 'python/hangs',
      message: `${executable} was stopped: it was not ready after ${seconds} s, before any code of the run.`,
      hint: `See the last stack in its output. Common causes are a sitecustomize.py, a .pth file or a slow drive. Check whether this command ends: ${inCommand(executable)} -c "print(1)"`,
    }),
  died: (how: string): CodedError =>
    new CodedError({
      code: 'python/died',
      message: `The Python process of the run ended unexpectedly: ${how}.`,
      hint: 'Common causes are os._exit, a signal or a crash of native code. See the last output of the process. Later episodes run in a new process.',
    }),
  /** @param said the last lines of the installer */
  debugpyNotInstalled: (executable: string, version: string, said: readonly string[]): CodedError =>
    new CodedError({
      code: 'python/debugpy-not-installed',
      message: `debugpy ${version} could not be installed: ${said.join(' ').trim() || 'the installer printed no message'}`,
      hint: `Check that pip can reach the package index with its settings for indexes and proxies. To install debugpy yourself, run: ${inCommand(executable)} -m pip install debugpy`,
    }),
  /** @param file a requirements.txt */
  missingRequirements: (executable: string, file: string, packages: readonly string[]): CodedError =>
    new CodedError({
      code: 'python/missing-requirements',
      location: { file },
      message: `${executable} has no ${packages.join(', ')}, which requirements.txt lists.`,
      hint: `Install them: ${inCommand(executable)} -m pip install -r ${inCommand(file)}`,
    }),
  /** @param said the last lines of the installer */
  packagesNotInstalled: (file: string, said: readonly string[]): CodedError =>
    new CodedError({
      code: 'python/packages-not-installed',
      location: { file },
      message: `The packages could not be installed: ${said.join(' ').trim() || 'the installer printed no message'}`,
      hint: 'Check the names in the file, and that pip can reach the package index with its settings for indexes and proxies.',
    }),
  noRequirements: (): CodedError =>
    new CodedError({
      code: 'python/no-requirements',
      message: 'The folder has no requirements.txt.',
      hint: 'Create one with the packages of the workflow, such as openai, one per line.',
    }),
  noFolder: (): CodedError =>
    new CodedError({
      code: 'python/no-folder',
      message: 'No folder is open.',
      hint: 'Open a folder, then run the command again.',
    }),
  notTrusted: (): CodedError =>
    new CodedError({
      code: 'python/not-trusted',
      message: 'Installing packages runs the Python of this workspace, which is not trusted.',
      hint: 'Trust the workspace first ("Workspaces: Manage Workspace Trust").',
    }),
};

function startFailure(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'the file does not exist';
  if (code === 'EACCES') return 'the file is not executable';
  return messageOf(cause);
}

const nameAnother =
  'select another with --python FILE (launch.json: python; in the editor also "Python: Select Interpreter")';

function howToFix({ environment }: InterpreterInfo): string {
  return environment === undefined
    ? `Install Python 3.10 or later, or ${nameAnother}.`
    : `Create its environment again with Python 3.10 or later (python3 -m venv --clear ${inCommand(environment)}), or ${nameAnother}.`;
}

/** Quotes a path for a command line. */
function inCommand(file: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(file) ? file : `"${file}"`;
}
