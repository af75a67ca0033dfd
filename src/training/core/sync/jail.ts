/**
 * Checks paths inside a root. They come from the other side, so both sides check them before they touch a file. The
 * check is not enough alone, because parent folders may be links.
 */
import type { SnapshotEntry } from '../protocol/hostRpc.ts';

/** Bytes in UTF-8. */
const longestName = 255;
const longestPath = 1_024;

const control = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const drive = /^[A-Za-z]:/;
const forbiddenByWindows = /[<>:"|?*]|[. ]$/;
const devicesOfWindows = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

export interface JailRules {
  /** True if the root is on Windows, where more names are special. */
  readonly windows?: boolean;
}

/** Returns why a path is refused, as the end of a sentence; undefined if it is inside the root. */
export function pathProblem(path: string, { windows = false }: JailRules = {}): string | undefined {
  if (path === '') return 'it is empty';
  if (path.length > longestPath || new TextEncoder().encode(path).length > longestPath)
    return `it is longer than ${longestPath} bytes`;
  if (control.test(path)) return 'it has control characters';
  if (path.includes('\\')) return 'it has a backslash';
  if (path.startsWith('/') || drive.test(path)) return 'it is absolute';
  for (const name of path.split('/')) {
    const problem = nameProblem(name, windows);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function nameProblem(name: string, windows: boolean): string | undefined {
  if (name === '') return 'it has an empty name';
  if (name === '.' || name === '..') return `it has the name ${name}`;
  if (name.length > longestName / 3 && new TextEncoder().encode(name).length > longestName) {
    return `it has a name of more than ${longestName} bytes`;
  }
  if (windows && (forbiddenByWindows.test(name) || devicesOfWindows.test(name))) {
    return `${JSON.stringify(name)} is not a valid file name on Windows`;
  }
  return undefined;
}

/**
 * Returns why a symbolic link is refused. `..` is allowed at the start only: after the name of another link it would
 * lead elsewhere.
 *
 * @param path path of the link, already checked
 */
export function linkProblem(path: string, target: string): string | undefined {
  if (target === '') return 'its target is empty';
  if (new TextEncoder().encode(target).length > longestPath)
    return `its target is longer than ${longestPath} bytes`;
  if (control.test(target)) return 'its target has control characters';
  if (target.includes('\\')) return 'its target has a backslash';
  if (target.startsWith('/') || drive.test(target)) return 'its target is absolute';
  let depth = path.split('/').length - 1;
  let hasDescended = false;
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') hasDescended = true;
    else if (hasDescended) return 'its target has .. after a name';
    else if (--depth < 0) return 'its target is outside the folder';
  }
  return undefined;
}

/** Normalizes case and accents of a path, as some file systems do when they compare paths. */
export function folded(path: string): string {
  // Upper case comes first, because ſ, ß and others have no lower case that makes them equal to their variants.
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Returns the problem of a path that another path equals once both are {@link folded}. */
export function collisionProblem(path: string): string {
  return `it differs from ${JSON.stringify(path)} only in case or accents, which some systems ignore`;
}

/** Checks the entries of one root, in any order, each against those before it. */
export class Jail {
  readonly #rules: JailRules;
  readonly #taken = new Map<string, { readonly path: string; readonly isFolder: boolean }>();

  constructor(rules: JailRules = {}) {
    this.#rules = rules;
  }

  /** Returns the problem of an entry, or undefined if it is valid. A valid entry is then taken. */
  problemOf(entry: SnapshotEntry | { readonly path: string }): string | undefined {
    const { path } = entry;
    const problem =
      pathProblem(path, this.#rules) ?? ('link' in entry ? linkProblem(path, entry.link) : undefined);
    if (problem !== undefined) return problem;
    const key = folded(path);
    const place = this.#taken.get(key);
    if (place !== undefined) return collision(place, path);
    const folders = foldersOf(path);
    for (const folder of folders) {
      const found = this.#taken.get(folded(folder));
      if (found?.isFolder === false) return `its parent ${JSON.stringify(found.path)} is not a folder`;
      if (found !== undefined && found.path !== folder) return collision(found, folder);
    }
    for (const folder of folders) this.#taken.set(folded(folder), { path: folder, isFolder: true });
    this.#taken.set(key, { path, isFolder: false });
    return undefined;
  }
}

function collision(there: { readonly path: string; readonly isFolder: boolean }, path: string): string {
  if (there.path !== path) return collisionProblem(there.path);
  return there.isFolder ? 'other files are below it' : 'it is listed twice';
}

/** Deepest first. */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    folders.push(path.slice(0, at));
  }
  return folders;
}
