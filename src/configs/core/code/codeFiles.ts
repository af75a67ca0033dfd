/** Reading the sources of a workspace. Paths are absolute and in the platform's own form. */
export interface CodeFiles {
  /** Undefined where there is nothing, or nothing that may be read. */
  stamp(path: string): Promise<FileStamp | undefined>;
  /** Undefined where there is no such file; other failures may reject. */
  readText(file: string): Promise<string | undefined>;
  /** Python, TypeScript and JavaScript files of the workspace; of a very large one not all. */
  sources(): Promise<readonly string[]>;
}

export interface FileStamp {
  readonly kind: 'file' | 'folder';
  /** Another one when the file has changed. */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
}

/** Folders that hold no code of the user's own. */
export const foreignFolders: readonly string[] = [
  'node_modules',
  'site-packages',
  '__pycache__',
  'venv',
  '.venv',
  '.git',
  '.tox',
  'env',
  'dist',
  'build',
  'saved_experiments',
  'saved_checkpoints',
];

export const codeEndings: readonly string[] = ['py', 'ts', 'mts', 'cts', 'tsx', 'js', 'mjs', 'cjs', 'jsx'];

export const mostSources = 5000;
/** A larger file, in bytes, is not read: it is generated, or data. */
export const largestSource = 1_000_000;
