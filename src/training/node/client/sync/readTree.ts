import { lstatSync, readdirSync, readlinkSync, type Dirent, readFileSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { attempt } from '../../../../base/core/attempt.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import {
  gitIgnoreFile,
  IgnoreRules,
  looksLikeKey,
  ownIgnoreFile,
  type Repository,
  type ParentRules,
} from '../../../core/sync/ignoreRules.ts';
import { collisionProblem, folded, linkProblem, pathProblem } from '../../../core/sync/jail.ts';
import {
  mostExcluded,
  type ExcludedPath,
  type Tree,
  type TreeFile,
  type TreeLink,
} from '../../../core/sync/tree.ts';
import { isExecutable, stampOf, readSums, Slices, type FileSum } from './readFiles.ts';

/** The largest file that can be a key, in bytes. */
const largestKey = 64 * 1024;

/** The largest file of rules, in bytes. Larger files are ignored. */
const largestRules = 1024 * 1024;

function readRules(file: string): string | undefined {
  return attempt(() => (lstatSync(file).size > largestRules ? undefined : readFileSync(file, 'utf8')));
}

/**
 * Returns the nearest Git repository, or one without rules. `core.excludesFile` is ignored, because it is not
 * specific to the repository.
 *
 * @param root absolute, without links
 */
function repositoryOf(root: string): Repository {
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
  const isFolder = attempt(() => statSync(place).isDirectory()) === true;
  const own = isFolder ? place : linked(place, /^gitdir: (.+)$/m);
  if (own === undefined || attempt(() => statSync(path.join(own, 'HEAD')).isFile()) !== true)
    return undefined;
  return linked(path.join(own, 'commondir'), /^(.+)$/m) ?? own;
}

function linked(file: string, line: RegExp): string | undefined {
  const [, place] = line.exec(readRules(file) ?? '') ?? [];
  return place === undefined ? undefined : path.resolve(path.dirname(file), place.trimEnd());
}

function isIn(folder: string, top: string): boolean {
  return folder === top || folder.startsWith(top.endsWith(path.sep) ? top : top + path.sep);
}

function inside(from: string, to: string): string {
  return path.relative(from, to).split(path.sep).join('/');
}

export interface ReadTreeOptions {
  /** The cache file for checksums, outside the root. Null: no cache. */
  readonly cache: string | null;
  readonly cancellation: CancellationToken;
}

/**
 * Lists the files of a folder to send. Excludes those of .gitignore (also above the folder, and .git/info/exclude),
 * .agentjetignore and the defaults.
 * It reads no file contents. Rejects with `sync/no-folder` and `sync/cancelled`.
 */
export async function readTree(root: string, { cache, cancellation }: ReadTreeOptions): Promise<Tree> {
  const place = await realpath(root).catch((error: unknown) => {
    throw syncErrors.noSuchRoot(root, error);
  });
  const walk = new Walk(place, await readSums(cache, place));
  const slices = new Slices();
  const folders: FolderToRead[] = [{ path: '', rules: IgnoreRules.in(repositoryOf(place)) }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const inner of walk.read(folder)) {
      if (inner !== undefined) folders.push(inner);
      if (cancellation.isCancelled) throw syncErrors.cancelled();
      await slices.pause();
    }
  }
  return { root: place, cache, ...walk.result() };
}

interface FolderToRead {
  readonly path: string;
  readonly rules: IgnoreRules;
}

class Walk {
  readonly #root: string;
  readonly #sums: ReadonlyMap<string, FileSum>;
  readonly #files: TreeFile[] = [];
  readonly #links: TreeLink[] = [];
  readonly #excluded: ExcludedPath[] = [];
  readonly #keys: string[] = [];

  constructor(root: string, sums: ReadonlyMap<string, FileSum>) {
    this.#root = root;
    this.#sums = sums;
  }

  result(): Pick<Tree, 'files' | 'links' | 'bytes' | 'excluded' | 'keys'> {
    const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
    return {
      files: this.#files.sort(byPath),
      links: this.#links.sort(byPath),
      bytes: this.#files.reduce((sum, { bytes }) => sum + bytes, 0),
      excluded: this.#excluded.sort(byPath),
      keys: this.#keys.sort(),
    };
  }

  /** Reads the entries of a folder one by one. Yields the folders inside, which the caller reads next. */
  *read({ path: folder, rules: rulesAbove }: FolderToRead): Generator<FolderToRead | undefined> {
    const place = path.join(this.#root, folder);
    let entries: Dirent[];
    try {
      entries = readdirSync(place, { withFileTypes: true });
    } catch (error) {
      if (folder === '') throw syncErrors.noSuchRoot(place, error);
      this.#refuse(folder, 'it cannot be read');
      return;
    }
    const textOf = (name: string): string | undefined =>
      entries.some((entry) => entry.name === name && entry.isFile())
        ? readRules(path.join(place, name))
        : undefined;
    const rules = rulesAbove.with(folder, { git: textOf(gitIgnoreFile), own: textOf(ownIgnoreFile) });
    // The names as a file system may fold them.
    const names = new Map<string, string>();
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const problem = pathProblem(inside);
      const rule = problem === undefined ? rules.excludes(inside, entry.isDirectory()) : undefined;
      if (rule !== undefined) this.#leave({ path: inside, rule: rule.rule, pattern: rule.pattern });
      else if (problem !== undefined) this.#refuse(inside, problem);
      else {
        const key = folded(entry.name);
        const same = names.get(key);
        names.set(key, same ?? entry.name);
        const isRead = same === undefined && entry.isDirectory();
        if (same !== undefined) this.#refuse(inside, collisionProblem(same));
        else if (!isRead) this.#take(inside, entry, rules);
        yield isRead ? { path: inside, rules } : undefined;
      }
    }
  }

  #take(inside: string, entry: Dirent, rules: IgnoreRules): void {
    if (entry.isFile()) this.#takeFile(inside, rules);
    else if (entry.isSymbolicLink()) this.#takeLink(inside);
    else this.#refuse(inside, 'it is not a file, a folder or a link');
  }

  #takeFile(inside: string, rules: IgnoreRules): void {
    const file = path.join(this.#root, inside);
    const stats = attempt(() => lstatSync(file, { bigint: true }));
    if (stats?.isFile() !== true) {
      this.#refuse(inside, 'it cannot be read');
      return;
    }
    const stamp = stampOf(stats);
    const known = this.#sums.get(inside);
    const sha256 = known?.stamp === stamp ? known.sha256 : undefined;
    const bytes = Number(stats.size);
    // A file with a known hash was sent before. Reading all of them again would take as long as the first time.
    const isRead = sha256 === undefined && bytes <= largestKey;
    const text = (): string => (isRead ? attempt(() => readFileSync(file, 'latin1')) : undefined) ?? '';
    if (looksLikeKey(inside, text) && !rules.includes(inside)) this.#keys.push(inside);
    this.#files.push({ path: inside, bytes, executable: isExecutable(stats), stamp, sha256 });
  }

  #takeLink(inside: string): void {
    const link = attempt(() => readlinkSync(path.join(this.#root, inside)).replaceAll(path.sep, '/'));
    const problem = link === undefined ? 'it cannot be read' : linkProblem(inside, link);
    if (link === undefined || problem !== undefined) this.#refuse(inside, problem ?? '');
    else this.#links.push({ path: inside, link });
  }

  #refuse(inside: string, problem: string): void {
    this.#leave({ path: inside, rule: null, problem });
  }

  #leave(left: ExcludedPath): void {
    if (left.rule === null || this.#excluded.length < mostExcluded) this.#excluded.push(left);
  }
}
