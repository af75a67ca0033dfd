import * as vscode from 'vscode';
import type { FileReader } from '../../../base/core/ports.ts';
import { exists } from '../../../base/editor/exists.ts';
import type { WorkspaceFs } from './workspaceFs.ts';

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
    const { size, mtime: modified } = await vscode.workspace.fs.stat(uri);
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
