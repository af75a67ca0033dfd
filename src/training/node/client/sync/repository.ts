/** The repository that a folder is in, as far as its rules are about what is in the folder. */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gitIgnoreFile, type Repository, type ParentRules } from '../../../core/sync/ignoreRules.ts';

/** Bytes of a file of rules; a larger one is none. */
const largestRules = 1024 * 1024;

export function readRules(file: string): string | undefined {
  try {
    return lstatSync(file).size > largestRules ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The nearest one, as git finds it; a folder that is in none has no rules above it. What a user has set for all
 * repositories (`core.excludesFile`) is not read: it says nothing about this one.
 * @param root absolute, without links
 */
export function repositoryOf(root: string): Repository {
  for (let top = root; ; top = path.dirname(top)) {
    const folder = gitFolder(path.join(top, '.git'));
    if (folder !== undefined) return { prefix: inside(top, root), above: rulesAbove(top, folder, root) };
    if (path.dirname(top) === top) return { prefix: '', above: [] };
  }
}

/** Later ones go before earlier ones, as with git. */
function rulesAbove(top: string, git: string, root: string): ParentRules[] {
  const exclude = path.join(git, 'info', 'exclude');
  const files = [{ folder: '', file: exclude }];
  for (let folder = path.dirname(root); isIn(folder, top) && root !== top; folder = path.dirname(folder)) {
    files.splice(1, 0, { folder: inside(top, folder), file: path.join(folder, gitIgnoreFile) });
  }
  return files.flatMap(({ folder, file }) => {
    const text = readRules(file);
    return text === undefined ? [] : [{ folder, file: inside(root, file), text }];
  });
}

/** Where the repository's own files are; undefined: this is none. A worktree's are those of the repository that it is of. */
function gitFolder(place: string): string | undefined {
  const own = isThere(place, 'isDirectory') ? place : linked(place, /^gitdir: (.+)$/m);
  if (own === undefined || !isThere(path.join(own, 'HEAD'), 'isFile')) return undefined;
  return linked(path.join(own, 'commondir'), /^(.+)$/m) ?? own;
}

function isThere(place: string, kind: 'isDirectory' | 'isFile'): boolean {
  try {
    return statSync(place)[kind]();
  } catch {
    return false;
  }
}

function linked(file: string, line: RegExp): string | undefined {
  const [, place] = line.exec(readRules(file) ?? '') ?? [];
  return place === undefined ? undefined : path.resolve(path.dirname(file), place.trimEnd());
}

function isIn(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(top.endsWith(path.sep) ? top : top + path.sep);
}

/** With `/`, as rules and what is sent are written. */
function inside(from: string, to: string): string {
  return path.relative(from, to).split(path.sep).join('/');
}
