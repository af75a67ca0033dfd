import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

/** Whole or as it was before, also when the machine loses its power; for its owner alone. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  try {
    const handle = await open(beside, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The JSON value in a file; undefined: there is no such file, or nothing whole in it. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
