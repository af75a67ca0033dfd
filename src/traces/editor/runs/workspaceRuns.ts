/** Finds traces in the open folders, and those of this window's debug sessions in any folder. */
import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { RunCatalog, RunFiles } from './runCatalog.ts';
import { configCopy, isTrace, possibleTraining, trainingMark } from './runFiles.ts';
import type { RunFile } from './run.ts';
import type { Root } from './runTree.ts';

const pattern = '**/*.ajtrace';
const excluded = '**/node_modules/**';

/** Returns the workspace folders on disk. Other folders cannot contain readable traces. */
export function workspaceRoots(): readonly Root[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

export class WorkspaceRuns implements RunFiles {
  readonly #sessionTraces = new Set<string>();

  tell(trace: string): void {
    this.#sessionTraces.add(trace);
  }

  async list(): Promise<readonly RunFile[]> {
    const uris = await vscode.workspace.findFiles(pattern, excluded);
    const inWorkspace = uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
    const traces = [...new Set([...inWorkspace, ...this.#sessionTraces])];
    const files = await Promise.all(traces.map((trace) => this.stat(trace)));
    return files.filter((file) => file !== undefined);
  }

  async stat(trace: string): Promise<RunFile | undefined> {
    const mark = path.join(path.dirname(trace), configCopy);
    const folder = possibleTraining(trace);
    const [file, copy, state] = await Promise.all([
      statOf(trace),
      statOf(mark),
      folder === undefined ? undefined : statOf(path.join(folder, trainingMark)),
    ]);
    const training = state && folder;
    return file && { trace, size: file.size, modified: file.mtime, ownFolder: copy !== undefined, training };
  }
}

async function statOf(file: string): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(vscode.Uri.file(file));
  } catch {
    return undefined; // gone since it was listed, or not ours to see: nothing to show
  }
}

export function followWorkspace(catalog: RunCatalog): Disposable {
  const store = new DisposableStore();
  const traces = store.add(vscode.workspace.createFileSystemWatcher(pattern));
  const changed = (uri: vscode.Uri): void => void catalog.fileChanged(uri.fsPath);
  store.add(traces.onDidCreate(changed));
  store.add(traces.onDidChange(changed));
  store.add(traces.onDidDelete(changed));
  // VS Code reports the creation or deletion of a folder as one event, not for each file in it.
  const all = store.add(vscode.workspace.createFileSystemWatcher('**', false, true));
  store.add(
    all.onDidCreate(async ({ fsPath }) => {
      if ((await statOf(fsPath))?.type === vscode.FileType.Directory) catalog.folderCame();
    }),
  );
  store.add(
    all.onDidDelete(({ fsPath }) => {
      if (!isTrace(fsPath)) void catalog.pathGone(fsPath);
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void catalog.foldersChanged()));
  return store;
}
