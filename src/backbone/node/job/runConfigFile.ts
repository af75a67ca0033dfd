import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jobErrors } from './errors.ts';

/** Where the config of a run lies that a script has made: among the folders of runs, by the name of its experiment. */
export function runConfigFile(expDir: string, experiment: string): string {
  return path.join(expDir, `${experiment.replace(/[|/\\:]/g, '-')}.yaml`);
}

/** Rejects with `job/not-written`. */
export async function writeConfig(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw jobErrors.notWritten(file, error);
  }
}
