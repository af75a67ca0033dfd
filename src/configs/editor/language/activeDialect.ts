import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { contextKeys } from '../../../base/core/ids.ts';
import type { ConfigTexts } from './configTexts.ts';

/** Typing settles before the text is looked at again. */
const settleMilliseconds = 300;

/** Updates the context key for the dialect of the active file. Menus and commands depend on it. */
export function registerActiveDialect(texts: ConfigTexts, clock: Clock): Disposable {
  const store = new DisposableStore();
  let pending: Disposable | undefined;
  let shown: string | undefined;
  const update = (): void => {
    pending?.dispose();
    pending = undefined;
    const document = vscode.window.activeTextEditor?.document;
    const dialect = document && texts.textOf(document)?.dialect.id;
    if (dialect === shown) return;
    shown = dialect;
    void vscode.commands.executeCommand('setContext', contextKeys.activeDialect, dialect);
  };
  store.defer(() => pending?.dispose());
  store.add(vscode.window.onDidChangeActiveTextEditor(update));
  store.add(vscode.workspace.onDidOpenTextDocument(update));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document !== vscode.window.activeTextEditor?.document) return;
      pending?.dispose();
      pending = clock.after(settleMilliseconds, update);
    }),
  );
  update();
  return store;
}
