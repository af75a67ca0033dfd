import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../../base/node/regularFile.ts';
import type { ClassFinder } from '../core/code/classes.ts';
import { codeEndings, foreignFolders, mostSources, type CodeFiles } from '../core/code/codeFiles.ts';
import { WorkspaceClasses } from '../core/code/workspaceClasses.ts';

/** Finds classes in the files of this machine. `folders`: what is taken for the workspace, absolute. */
export function localClassFinder(folders: readonly string[]): ClassFinder {
  return new WorkspaceClasses(localCodeFiles(folders), path, () => folders);
}

export function localCodeFiles(folders: readonly string[]): CodeFiles {
  return {
    stamp: async (file) => {
      try {
        const found = await stat(file);
        const kind = found.isDirectory() ? 'folder' : 'file';
        return found.isDirectory() || found.isFile()
          ? { kind, version: `${found.mtimeMs} ${found.size}`, size: found.size }
          : undefined;
      } catch {
        return undefined; // not there, or not ours to look at
      }
    },
    readText: async (file) => (await readRegular(file)).toString(),
    sources: () => sourcesUnder(folders),
  };
}

const code = new RegExp(`\\.(?:${codeEndings.join('|')})$`);
const foreign = new Set(foreignFolders);
const mostFolders = 5000;

/** Those near the top come first, so that what is left out of a large workspace lies deep. */
async function sourcesUnder(folders: readonly string[]): Promise<string[]> {
  const sources: string[] = [];
  const queue = [...folders];
  for (let next = 0; next < queue.length && next < mostFolders && sources.length < mostSources; next += 1) {
    const folder = queue[next] ?? '';
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.name === 'pyvenv.cfg')) continue;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name);
      if (entry.isFile() && code.test(entry.name)) sources.push(file);
      else if (entry.isDirectory() && !entry.name.startsWith('.') && !foreign.has(entry.name))
        queue.push(file);
    }
  }
  return sources.slice(0, mostSources);
}
