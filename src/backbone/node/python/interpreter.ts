import path from 'node:path';
import type { FileReader } from '../../../base/core/ports.ts';

export interface InterpreterSearch {
  /** The interpreter of the run, which wins. */
  readonly chosen: string | undefined;
  /** The interpreter that the Python extension has selected for the folder. */
  readonly selected?: string | undefined;
  /** The interpreter of the setting. The folder's own environment wins over it. */
  readonly setting?: string | undefined;
  /** The folder for relative paths. A bare name is searched on PATH. */
  readonly cwd: string;
  /** Folders to search for a virtual environment, in order. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly files: Pick<FileReader, 'exists'>;
}

export interface Interpreter {
  /** A path, or a name on PATH. */
  readonly executable: string;
  readonly why: 'chosen' | 'selected' | 'environment' | 'setting' | 'path';
}

/** Finds the Python for a run's workflows. It is not checked before it is started. */
export async function findInterpreter(search: InterpreterSearch): Promise<Interpreter> {
  const { chosen, selected, setting, cwd, platform } = search;
  if (given(chosen)) return { executable: absolute(chosen, cwd), why: 'chosen' };
  if (given(selected)) return { executable: selected, why: 'selected' };
  const environment = await ownEnvironment(search);
  if (environment !== undefined) return { executable: environment, why: 'environment' };
  if (given(setting)) return { executable: absolute(setting, cwd), why: 'setting' };
  return { executable: platform === 'win32' ? 'python' : 'python3', why: 'path' };
}

/** Finds the `.venv` of a folder, even if its Python is missing, so that no other one silently replaces it. */
async function ownEnvironment({
  folders,
  platform,
  files,
}: Pick<InterpreterSearch, 'folders' | 'platform' | 'files'>): Promise<string | undefined> {
  for (const folder of folders) {
    const environment = path.join(folder, '.venv');
    const executable = executableIn(environment, platform);
    const isThere = [executable, path.join(environment, environmentMark)].map((file) => files.exists(file));
    if ((await Promise.all(isThere)).includes(true)) return executable;
  }
  return undefined;
}

/** The file that marks a virtual environment. */
const environmentMark = 'pyvenv.cfg';

function executableIn(environment: string, platform: NodeJS.Platform): string {
  return path.join(environment, ...(platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
}

/** Returns the virtual environment of an interpreter, or undefined if it has none. */
export async function environmentOf(
  executable: string,
  files: Pick<FileReader, 'exists'>,
): Promise<string | undefined> {
  const folder = path.dirname(path.dirname(executable));
  return (await files.exists(path.join(folder, environmentMark))) ? folder : undefined;
}

function absolute(executable: string, cwd: string): string {
  return /[/\\]/.test(executable) ? path.resolve(cwd, executable) : executable;
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
