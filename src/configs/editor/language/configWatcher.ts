import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { readOnlyConfigSchemes } from '../../../base/core/ids.ts';

/** Many files change at once when a branch is switched or a package installed. */
const settleMilliseconds = 400;

/** Files that a config may name and whose text matters. */
const named = '**/*.{yaml,yml,py,ts,mts,cts,tsx,js,mjs,cjs,jsx,jsonl}';
/** Configs do not name what is in these; runs write to them all the time. */
const ignored = /[\\/](?:node_modules|\.git|__pycache__|saved_experiments|\.venv)[\\/]/;

/**
 * Calls `changed` after a change of a file, an unsaved document, the open folders or the workspace trust. `changed`
 * gets the document if it was the only change.
 */
export function watchConfigDependencies(
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
  // A created or deleted folder gives one event, not one for each file in it.
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
