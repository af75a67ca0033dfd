/** Reads the ignore rules of the Git repository that contains a folder. */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gitIgnoreFile, type Repository, type ParentRules } from '../../../core/sync/ignoreRules.ts';

/** The largest file of rules, in bytes. Larger files are ignored. */
const largestRules = 1024 * 1024;

export function readRules(file: string): string | undefined {
  try {
    return lstatSync(file).size > largestRules ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns the nearest Git repository, or one without rules. `core.excludesFile` is ignored, because it is not
 * specific to the repository.
 *
 * @param root absolute, without links
 */
export function repositoryOf(root: string): Repository {
  for (let top = root; ; top = path.dirname(top)) {
    const folder = gitFolder(path.join(top, '.git'));
    if (folder !== undefined) return { prefix: inside(top, root), above: rulesAbove(top, folder, root) };
    if (path.dirname(top) === top) return { prefix: '', above: [] };
  }
}

/** Returns the rules above the root. Later rules override earlier ones, as in Git. */
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

/** Returns the Git folder at a path, also of a worktree. Undefined: there is none. */
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

/** Returns a relative path with `/`. */
function inside(from: string, to: string): string {
  return path.relative(from, to).split(path.sep).join('/');
}
