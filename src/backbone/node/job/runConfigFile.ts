import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jobErrors } from './errors.ts';

/** Returns the file for the config of a script's run: next to the run folders, by the name of its experiment. */
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

/** Returns the locator of an export, relative to the working directory. */
export function locatorOf(
  { file, name }: { readonly file: string; readonly name: string },
  cwd: string,
): string {
  const relative = path.relative(cwd, file);
  const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
  return `${isInside ? relative.split(path.sep).join('/') : file}->${name}`;
}
