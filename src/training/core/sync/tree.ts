/** The files of a folder to upload, their sizes, the excluded files, and the size limit. */
import { sizeText } from '../../../base/core/format.ts';
import { syncErrors } from './failures.ts';

export interface TreeFile {
  readonly path: string;
  readonly bytes: number;
  readonly executable: boolean;
  /** Changes with the file: its times, size and inode. */
  readonly stamp: string;
  /** The hash from an earlier sync of the same file; undefined if the file must be read. */
  readonly sha256: string | undefined;
  /** The content to upload in place of the file; absent for the file itself. */
  readonly content?: Uint8Array;
}

export interface TreeLink {
  readonly path: string;
  readonly link: string;
}

export interface ExcludedPath {
  readonly path: string;
  /** The file of the rule, relative to the root, or `default`; null if the file cannot be uploaded. */
  readonly rule: string | null;
  readonly pattern?: string;
  /** The reason why it cannot be uploaded, as the end of a sentence. */
  readonly problem?: string;
}

export interface Tree {
  /** Absolute. */
  readonly root: string;
  /** Sorted by path (UTF-16 code units), as the links are. */
  readonly files: readonly TreeFile[];
  readonly links: readonly TreeLink[];
  readonly bytes: number;
  /** All files that cannot be uploaded, and the first {@link mostExcluded} of the others. */
  readonly excluded: readonly ExcludedPath[];
  /** The paths of files that look like keys or passwords, and that no .agentjetignore names. */
  readonly keys: readonly string[];
  /** The file that keeps stamps and hashes between syncs; null for none. */
  readonly cache: string | null;
}

export const mostExcluded = 10_000;

/** A file that a run needs in addition to, or in place of, the folder's own files. */
export interface AddedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Returns the tree as if these files were in the folder. The folder itself stays unchanged. */
export function withFiles(tree: Tree, added: readonly AddedFile[]): Tree {
  const replaced = new Set(added.map(({ path }) => path));
  const kept = tree.files.filter(({ path }) => !replaced.has(path));
  const more = added.map(({ path, content }): TreeFile => ({
    ...{ path, content, bytes: content.length },
    ...{ executable: false, stamp: '', sha256: undefined },
  }));
  const files = [...kept, ...more].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...tree, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

export interface SyncLimit {
  readonly files: number;
  readonly bytes: number;
}

export const defaultSyncLimit: SyncLimit = { files: 200_000, bytes: 2e9 };

export interface FolderSize {
  /** `.` stands for the files directly in the root. */
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

export interface Preview {
  readonly files: number;
  readonly bytes: number;
  readonly biggestFiles: readonly Pick<TreeFile, 'path' | 'bytes'>[];
  /** The biggest folders, none inside another. */
  readonly biggestFolders: readonly FolderSize[];
  readonly excluded: readonly ExcludedPath[];
  readonly keys: readonly string[];
}

const mostNamed = 10;

export function previewOf(tree: Tree, limit: SyncLimit = defaultSyncLimit): Preview {
  const biggest = [...tree.files].sort((a, b) => b.bytes - a.bytes).slice(0, mostNamed);
  return {
    files: tree.files.length,
    bytes: tree.bytes,
    biggestFiles: biggest.map(({ path, bytes }) => ({ path, bytes })),
    biggestFolders: biggestFolders(tree, limit, mostNamed),
    excluded: tree.excluded,
    keys: tree.keys,
  };
}

/** Throws `sync/too-large` with the biggest folders. */
export function checkLimit(tree: Tree, limit: SyncLimit): void {
  const files = tree.files.length + tree.links.length;
  if (files <= limit.files && tree.bytes <= limit.bytes) return;
  throw syncErrors.tooLarge(
    { files, bytes: tree.bytes },
    limit,
    biggestFolders(tree, limit, 5).map(partText),
  );
}

export function partText({ path, files, bytes }: FolderSize): string {
  return `${path} (${sizeText(bytes)}, ${files} ${files === 1 ? 'file' : 'files'})`;
}

/** Returns the files that no rule excludes but that cannot be uploaded. */
export function unsentFiles(excluded: readonly ExcludedPath[]): readonly ExcludedPath[] {
  return excluded.filter(({ rule }) => rule === null);
}

/** Returns the biggest folders. If most of a folder is in one subfolder, the subfolder is named. */
function biggestFolders({ files }: Tree, limit: SyncLimit, most: number): readonly FolderSize[] {
  // A folder comes before its subfolders.
  const sizes = new Map<string, FolderSize>();
  const add = (path: string, bytes: number): void => {
    const before = sizes.get(path) ?? { files: 0, bytes: 0 };
    sizes.set(path, { path, files: before.files + 1, bytes: before.bytes + bytes });
  };
  for (const { path, bytes } of files) {
    if (!path.includes('/')) add('.', bytes);
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      add(path.slice(0, end), bytes);
  }
  const folders = [...sizes.values()];
  const weight = (folder: FolderSize): number => folder.files / limit.files + folder.bytes / limit.bytes;
  const nearest = (folder: FolderSize): FolderSize => {
    const inner = folders.find(
      (one) => one.path.startsWith(`${folder.path}/`) && weight(one) > 0.8 * weight(folder),
    );
    return inner === undefined ? folder : nearest(inner);
  };
  const top = folders.filter(({ path }) => !path.includes('/'));
  return top
    .map(nearest)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, most);
}
