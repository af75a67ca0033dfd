import path from 'node:path';
import type { FileReader } from '../../../base/core/ports.ts';

export interface InterpreterSearch {
  /** What was chosen for this very run; wins. */
  readonly chosen: string | undefined;
  /** What the editor's Python extension has selected for the folder. */
  readonly selected?: string | undefined;
  /** The setting's: a last resort before PATH, as the folder's own environment is nearer to it. */
  readonly setting?: string | undefined;
  /** What a chosen path is relative to; a bare name is looked for on PATH. */
  readonly cwd: string;
  /** Where a virtual environment is looked for, in order. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly files: Pick<FileReader, 'exists'>;
}

export interface Interpreter {
  /** A path, or a name on PATH. */
  readonly executable: string;
  readonly why: 'chosen' | 'selected' | 'environment' | 'setting' | 'path';
}

/** The Python that runs a run's workflows. Whether it is there and will do shows when it is started. */
export async function findInterpreter(search: InterpreterSearch): Promise<Interpreter> {
  const { chosen, selected, setting, cwd, platform } = search;
  if (given(chosen)) return { executable: absolute(chosen, cwd), why: 'chosen' };
  if (given(selected)) return { executable: selected, why: 'selected' };
  const environment = await ownEnvironment(search);
  if (environment !== undefined) return { executable: environment, why: 'environment' };
  if (given(setting)) return { executable: absolute(setting, cwd), why: 'setting' };
  return { executable: platform === 'win32' ? 'python' : 'python3', why: 'path' };
}

/** Of a `.venv` that has lost its Python as well, so that no other one takes its place without a word. */
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

/** What tells that a folder is a virtual environment. */
const environmentMark = 'pyvenv.cfg';

function executableIn(environment: string, platform: NodeJS.Platform): string {
  return path.join(environment, ...(platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
}

/** The virtual environment that an interpreter is of; undefined: of none. */
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
