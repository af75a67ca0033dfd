import { CodedError, type Location } from '../../../base/core/errors.ts';
import type { WorkerFailure } from '../../core/protocol/worker.ts';

/** An error of the user's Python, with its location and traceback. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
  readonly location: Location | undefined;
  readonly #failure: WorkerFailure;

  constructor(failure: WorkerFailure) {
    super(failure.message);
    this.#failure = failure;
    const { file, line, stack } = failure;
    this.location = file === undefined ? undefined : { file, ...(line !== undefined && { line }) };
    if (stack !== undefined) this.stack = stack;
  }

  /** Returns an error with a code if the worker knows one. */
  coded(): CodedError | undefined {
    const { code, message, hint } = this.#failure;
    if (code === undefined) return undefined;
    return new CodedError({ code, message, hint, location: this.location }, { cause: this });
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
    new CodedError(
      {
        code: 'python/not-found',
        message: `${python.executable} cannot be started: ${whyNot(cause)}.`,
        hint: howToMend(python),
      },
      { cause },
    ),
  didNotStart: (python: InterpreterInfo, how: string): CodedError =>
    new CodedError({
      code: 'python/did-not-start',
      message: `${python.executable} ended before it was ready: ${how}.`,
      hint: `What it printed says why. ${howToMend(python)}`,
    }),
  /** @param seconds the time limit */
  hangs: ({ executable }: InterpreterInfo, seconds: number): CodedError =>
    new CodedError({
      code: 'python/hangs',
      message: `${executable} was not ready after ${seconds} s, before any code of the run, and was ended.`,
      hint: `What it did is the stack that it printed last: often a sitecustomize.py, a .pth file or a slow drive. See whether this returns: ${inCommand(executable)} -c "print(1)"`,
    }),
  died: (how: string): CodedError =>
    new CodedError({
      code: 'python/died',
      message: `The Python process of the run ended in the midst of it: ${how}.`,
      hint: 'Something in it ended the process (os._exit, a signal, a crash of native code); what it printed last may tell. Episodes that come after get a new one.',
    }),
  /** @param said the last lines of the installer */
  debugpyNotInstalled: (executable: string, version: string, said: readonly string[]): CodedError =>
    new CodedError({
      code: 'python/debugpy-not-installed',
      message: `debugpy ${version} could not be installed: ${said.join(' ').trim() || 'the installer ended without a word'}`,
      hint: `The package index has to be reachable; pip's own settings for indexes and proxies count. By hand: ${inCommand(executable)} -m pip install debugpy`,
    }),
  noFolder: (): CodedError =>
    new CodedError({
      code: 'python/no-folder',
      message: 'There is no folder whose Python could be meant.',
      hint: 'Open it, then run the command again.',
    }),
  notTrusted: (): CodedError =>
    new CodedError({
      code: 'python/not-trusted',
      message: 'Installing debugpy runs the Python of this workspace, which is not trusted.',
      hint: 'Trust it first ("Workspaces: Manage Workspace Trust").',
    }),
};

function whyNot(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'there is no such program';
  if (code === 'EACCES') return 'it is no program that may be run';
  return cause instanceof Error ? cause.message : String(cause);
}

const nameAnother =
  'name another: --python FILE (launch.json: python; in the editor also "Python: Select Interpreter")';

function howToMend({ environment }: InterpreterInfo): string {
  return environment === undefined
    ? `Install Python 3.10 or later, or ${nameAnother}.`
    : `Make its environment anew with Python 3.10 or later (python3 -m venv --clear ${inCommand(environment)}), or ${nameAnother}.`;
}

/** Quotes a path for a command line. */
function inCommand(file: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(file) ? file : `"${file}"`;
}
