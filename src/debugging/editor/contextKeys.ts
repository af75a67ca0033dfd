import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import { contextKeys } from '../../base/core/ids.ts';
import { targetOf } from '../../configs/editor/choose/target.ts';

/** Milliseconds without typing before the text is checked again. */
const settleMilliseconds = 300;

/** Updates the context keys for the active editor, which the `when` clauses of debugger, menus and keys use. */
export function registerContextKeys(clock: Clock): Disposable {
  const store = new DisposableStore();
  let pending: Disposable | undefined;
  const update = (): void => {
    pending?.dispose();
    pending = undefined;
    const document = vscode.window.activeTextEditor?.document;
    const kind = document && targetOf(document)?.kind;
    setContext(contextKeys.activeConfig, kind === 'config');
    setContext(contextKeys.activeWorkflow, kind === 'workflow' || kind === 'job');
  };
  store.defer(() => pending?.dispose());
  store.add(vscode.window.onDidChangeActiveTextEditor(update));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document !== vscode.window.activeTextEditor?.document) return;
      pending?.dispose();
      pending = clock.after(settleMilliseconds, update);
    }),
  );
  // A document whose language is changed is closed and opened again, without a change of editor.
  store.add(vscode.workspace.onDidOpenTextDocument(update));
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('launch'))
        setContext(contextKeys.launchConfigured, isLaunchConfigured());
    }),
  );
  store.add(
    vscode.workspace.onDidChangeWorkspaceFolders(() =>
      setContext(contextKeys.launchConfigured, isLaunchConfigured()),
    ),
  );
  setContext(contextKeys.launchConfigured, isLaunchConfigured());
  update();
  return store;
}

/**
 * Returns true if a launch configuration exists. The editor's `debugUx` has the same meaning but is wrong at first. Until
 * the editor has read its configurations, `debugUx` says that there are some, and F5 would show a list of debuggers.
 */
function isLaunchConfigured(): boolean {
  const scopes = vscode.workspace.workspaceFolders ?? [undefined];
  return scopes.some((folder) => {
    const launch = vscode.workspace.getConfiguration('launch', folder);
    return ['configurations', 'compounds'].some((kind) => (launch.get<unknown[]>(kind) ?? []).length > 0);
  });
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
}
