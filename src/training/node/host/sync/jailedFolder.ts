import { constants } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { syncErrors } from '../../../core/sync/failures.ts';
import { pathProblem } from '../../../core/sync/jail.ts';

/** Flags that do not follow a link or block on a pipe. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export type PathFilter = (inside: string, kind: 'file' | 'folder') => boolean;

/**
 * A folder in which a run may create links. Only its own path may contain links; no link inside is followed.
 * Invalid paths reject with `sync/path-refused`. Missing files and links reject with `host/no-file`.
 */
export class JailedFolder {
  readonly #root: string;
  readonly #shows: PathFilter;

  private constructor(root: string, shows: PathFilter) {
    this.#root = root;
    this.#shows = shows;
  }

  /** Undefined: it does not exist or is not visible. `shownIn` returns the filter for a real path. */
  static async of(
    folder: string,
    shownIn: (real: string) => PathFilter | undefined = () => () => true,
  ): Promise<JailedFolder | undefined> {
    const root = await realpath(folder).catch(() => undefined);
    const shows = root === undefined ? undefined : shownIn(root);
    return root === undefined || shows === undefined ? undefined : new JailedFolder(root, shows);
  }

  async open(inside: string): Promise<FileHandle> {
    const place = this.#place(inside);
    if (!this.#isShown(inside, 'file') || !(await this.#isWhereItSeems(place)))
      throw syncErrors.noFile(inside);
    const handle = await open(place, flags).catch(() => undefined);
    if (handle === undefined) throw syncErrors.noFile(inside);
    try {
      if (!(await handle.stat()).isFile() || !(await this.#hasOpened(handle, place)))
        throw syncErrors.noFile(inside);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** An empty path is the root. Skips links, other entries and invalid names. Empty if there is no such folder. */
  async list(inside: string): Promise<readonly { readonly path: string; readonly isFolder: boolean }[]> {
    const place = inside === '' ? this.#root : this.#place(inside);
    if (!this.#isShown(inside, 'folder') || !(await this.#isWhereItSeems(place))) return [];
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    // It may have become a link meanwhile.
    if (!(await this.#isWhereItSeems(place))) return [];
    return entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => ({
        path: inside === '' ? entry.name : `${inside}/${entry.name}`,
        isFolder: entry.isDirectory(),
      }))
      .filter(
        (entry) =>
          this.#isShown(entry.path, entry.isFolder ? 'folder' : 'file') &&
          pathProblem(entry.path) === undefined,
      );
  }

  /** Returns the size of a file. Undefined: it is not a file, or no longer one. */
  async size(inside: string): Promise<{ readonly bytes: number; readonly modifiedAt: number } | undefined> {
    const place = this.#place(inside);
    if (!this.#isShown(inside, 'file')) return undefined;
    const found = await lstat(place).catch(() => undefined);
    return found?.isFile() === true
      ? { bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) }
      : undefined;
  }

  #isShown(inside: string, kind: 'file' | 'folder'): boolean {
    return inside === '' || this.#shows(inside, kind);
  }

  #place(inside: string): string {
    const problem = pathProblem(inside, { windows: process.platform === 'win32' });
    if (problem !== undefined) throw syncErrors.refusedPath(inside, problem);
    return path.join(this.#root, inside);
  }

  async #isWhereItSeems(place: string): Promise<boolean> {
    return (await realpath(place).catch(() => undefined)) === place;
  }

  /** Returns whether the handle is open for this path. A link may have replaced a parent folder after the check. */
  async #hasOpened(handle: FileHandle, place: string): Promise<boolean> {
    if (process.platform === 'linux') {
      return (await readlink(`/proc/self/fd/${handle.fd}`).catch(() => place)) === place;
    }
    const [opened, there] = [await handle.stat({ bigint: true }), await lstat(place, { bigint: true })];
    return opened.ino === there.ino && opened.dev === there.dev && (await this.#isWhereItSeems(place));
  }
}
