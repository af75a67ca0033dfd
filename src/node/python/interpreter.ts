import path from 'node:path';
import type { FileReader } from '../../base/ports.ts';

export interface InterpreterSearch {
  /** What the user chose; wins. */
  readonly chosen: string | undefined;
  /** What a chosen path is relative to; a bare name is looked for on PATH. */
  readonly cwd: string;
  /** Where a virtual environment is looked for, in order. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  readonly files: Pick<FileReader, 'exists'>;
}

/** The Python that runs a run's workflows: the user's choice, else the folder's `.venv`, else what PATH has. */
export async function findInterpreter(search: InterpreterSearch): Promise<string> {
  const { chosen, cwd, folders, platform, files } = search;
  if (chosen !== undefined) return /[/\\]/.test(chosen) ? path.resolve(cwd, chosen) : chosen;
  const inside = platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  for (const folder of folders) {
    const candidate = path.join(folder, '.venv', ...inside);
    if (await files.exists(candidate)) return candidate;
  }
  return platform === 'win32' ? 'python' : 'python3';
}
