import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import type { Clock } from '../core/ports.ts';

/** Milliseconds without typing before a changed text is looked at again. */
const settleMilliseconds = 300;

/** Calls `update` with the document of the active editor: now, when the editor changes, and after its text has changed. */
export function followActiveDocument(
  clock: Clock,
  update: (document: vscode.TextDocument | undefined) => void,
): Disposable {
  const store = new DisposableStore();
  let pending: Disposable | undefined;
  const updateNow = (): void => {
    pending?.dispose();
    pending = undefined;
    update(vscode.window.activeTextEditor?.document);
  };
  store.defer(() => pending?.dispose());
  store.add(vscode.window.onDidChangeActiveTextEditor(updateNow));
  // A document whose language is changed is closed and opened again, without a change of editor.
  store.add(vscode.workspace.onDidOpenTextDocument(updateNow));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document !== vscode.window.activeTextEditor?.document) return;
      pending?.dispose();
      pending = clock.after(settleMilliseconds, updateNow);
    }),
  );
  updateNow();
  return store;
}
