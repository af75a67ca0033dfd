import { access, readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { hasCode } from '../core/errors.ts';
import type { FileReader } from '../core/ports.ts';
import { openRegular, readRegular } from './regularFile.ts';

export const localFiles: FileReader = {
  readText: async (file) => {
    try {
      return (await readRegular(file)).toString();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  exists: async (file) => {
    try {
      await access(file);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  },
  lines: async function* (file) {
    const input = (await openRegular(file)).createReadStream({ encoding: 'utf8' });
    try {
      yield* createInterface({ input, crlfDelay: Infinity });
    } finally {
      input.destroy();
    }
  },
  list: (folder) => namesIn(folder, false),
  folders: (folder) => namesIn(folder, true),
};

/** Returns whether something exists at a path, and can be reached. */
export function pathExists(file: string, mode?: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

async function namesIn(folder: string, folders: boolean): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() === folders).map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}
