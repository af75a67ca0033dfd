import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { readOnlyConfigSchemes } from '../../../base/core/ids.ts';

/** Many files change at once when a branch is switched or a package installed. */
const settleMilliseconds = 400;

/** What a config may name: its text matters, not only that it is there. */
const named = '**/*.{yaml,yml,py,ts,mts,cts,tsx,js,mjs,cjs,jsx,jsonl}';
/** Configs do not name what is in these; runs write to them all the time. */
const ignored = /[\\/](?:node_modules|\.git|__pycache__|saved_experiments|\.venv)[\\/]/;

/**
 * Tells when something that configs refer to may have changed: on disk, in another document before it is saved, in the
 * folders that are open, or in what the workspace is trusted with. `changed` gets the document that it was, where it was
 * one and no other.
 */
export function followSurroundings(
  clock: Clock,
  changed: (document: vscode.Uri | undefined) => void,
): Disposable {
  const store = new DisposableStore();
  let pending: { readonly timer: Disposable; readonly of: vscode.Uri | undefined } | undefined;
  const soon = (document?: vscode.Uri): void => {
    const sameAsBefore = pending === undefined || pending.of?.toString() === document?.toString();
    pending?.timer.dispose();
    const of = sameAsBefore ? document : undefined;
    const timer = clock.after(settleMilliseconds, () => {
      pending = undefined;
      changed(of);
    });
    pending = { timer, of };
  };
  const onDisk = (uri: vscode.Uri): void => {
    if (!ignored.test(uri.path)) soon(uri);
  };
  store.defer(() => pending?.timer.dispose());
  const contents = store.add(vscode.workspace.createFileSystemWatcher(named, true, false, true));
  store.add(contents.onDidChange(onDisk));
  // A folder that comes or goes is told of by itself, not by each file that is in it.
  const all = store.add(vscode.workspace.createFileSystemWatcher('**', false, true));
  store.add(all.onDidCreate(onDisk));
  store.add(all.onDidDelete(onDisk));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => soon()));
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => soon()));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && isNamed(document)) soon(document.uri);
    }),
  );
  return store;
}

function isNamed({ uri }: vscode.TextDocument): boolean {
  if (readOnlyConfigSchemes.includes(uri.scheme) || uri.scheme === 'output' || uri.scheme === 'git')
    return false;
  return /\.(?:ya?ml|py|[cm]?[jt]sx?)$/.test(uri.path);
}
