import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** What is in a folder; nothing, where it is not there. */
export function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
