import path from 'node:path';
import * as vscode from 'vscode';
import type { Location } from '../../../base/core/errors.ts';
import type { PathRules, FileReader } from '../../../base/core/ports.ts';
import { exists } from '../../../base/editor/exists.ts';

interface CachedText {
  readonly size: number;
  readonly modified: number;
  readonly text: string;
}

/** Texts as they were on disk, until the disk says otherwise. One for all file systems. */
export type TextCache = Map<string, CachedText>;

/** The number of texts to keep. Each open config reads only a few defaults. */
const mostTexts = 200;

/**
 * Files as the editor has them, saved or not, else as they are on disk. A file that has not changed since it was read
 * costs a question for its time.
 *
 * @param local reads this machine's files line by line
 */
export function workspaceFiles(fs: WorkspaceFs, local: FileReader, texts: TextCache): FileReader {
  const readText = async (file: string): Promise<string | undefined> => {
    const uri = fs.uri(file);
    return unsavedText(uri) ?? (await savedText(uri, texts));
  };
  return {
    readText,
    exists: (file) => exists(fs.uri(file)),
    lines: (file) => (fs.isLocal ? local.lines(file) : linesOf(() => readText(file))),
    list: (folder) => namesIn(fs.uri(folder), false),
    folders: (folder) => namesIn(fs.uri(folder), true),
  };
}

async function namesIn(folder: vscode.Uri, folders: boolean): Promise<string[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(folder);
    return entries
      .filter(([, type]) => ((type & vscode.FileType.Directory) !== 0) === folders)
      .map(([name]) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A document that is as it was saved says nothing that the disk does not, and stays open when its file is deleted. */
function unsavedText(uri: vscode.Uri): string | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments
    .find((document) => document.isDirty && document.uri.toString() === key)
    ?.getText();
}

async function savedText(uri: vscode.Uri, texts: TextCache): Promise<string | undefined> {
  const key = uri.toString();
  try {
    const { type, size, mtime: modified } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0) return undefined; // reading a pipe or a device would not end
    const known = texts.get(key);
    if (known?.size === size && known.modified === modified) return known.text;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    if (texts.size >= mostTexts) texts.clear();
    texts.set(key, { size, modified, text });
    return text;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function* linesOf(read: () => Promise<string | undefined>): AsyncIterable<string> {
  yield* ((await read()) ?? '').split(/\r?\n/);
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof vscode.FileSystemError)) return false;
  return error.code === 'FileNotFound' || error.code === 'FileNotADirectory';
}

/** One file system as the core sees it, by absolute paths: this machine's disk, or that of a virtual workspace. */
export class WorkspaceFs {
  readonly paths: PathRules;
  readonly #base: vscode.Uri;

  /** @param base any file of the file system */
  constructor(base: vscode.Uri) {
    this.#base = base;
    this.paths = this.isLocal ? path : path.posix;
  }

  get isLocal(): boolean {
    return this.#base.scheme === 'file';
  }

  /** The same for all files of one file system. */
  get id(): string {
    return `${this.#base.scheme}://${this.#base.authority}`;
  }

  has({ scheme, authority }: vscode.Uri): boolean {
    return scheme === this.#base.scheme && authority === this.#base.authority;
  }

  uri(file: string): vscode.Uri {
    if (this.isLocal) return vscode.Uri.file(file);
    return this.#base.with({ path: file, query: '', fragment: '' });
  }

  path(uri: vscode.Uri): string {
    return this.isLocal ? uri.fsPath : uri.path;
  }

  location({ file, line = 1, column = 1 }: Location): vscode.Location {
    return new vscode.Location(this.uri(file), new vscode.Position(line - 1, column - 1));
  }
}

export interface ConfigLocation {
  readonly fs: WorkspaceFs;
  readonly file: string;
  readonly cwd: string;
}

/**
 * Returns the location of a config. An untitled text is in the first folder of the workspace. An old version from
 * source control is at the current path of its file.
 */
export function locateConfig(uri: vscode.Uri): ConfigLocation {
  const first = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (uri.scheme === 'untitled') {
    const folder = first ?? vscode.Uri.file(path.parse(process.cwd()).root);
    const fs = new WorkspaceFs(folder);
    const cwd = fs.path(folder);
    return { fs, cwd, file: fs.paths.resolve(cwd, fs.paths.basename(uri.path)) };
  }
  const own = uri.scheme === 'git' ? vscode.Uri.file(uri.fsPath) : uri;
  const fs = new WorkspaceFs(own);
  const file = fs.path(own);
  const folder = vscode.workspace.getWorkspaceFolder(own)?.uri;
  return { fs, file, cwd: folder === undefined ? fs.paths.dirname(file) : fs.path(folder) };
}
