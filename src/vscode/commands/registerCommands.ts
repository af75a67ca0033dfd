import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { formatReport, toReport } from '../../base/errors.ts';
import { commands } from '../ids.ts';
import { addTypes } from './addTypes.ts';
import { openExample } from './openExample.ts';

/** The commands that start no run. Messages are not waited for: a command has ended when its work has. */
export function registerSetupCommands(extension: vscode.Uri, log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const register = (id: string, run: () => Promise<void>): void => {
    store.add(vscode.commands.registerCommand(id, () => reportingErrors(run, log)));
  };
  register(commands.openExample, async () => {
    await openExample(extension);
  });
  register(commands.addTypes, () => addTypesToWorkspace(extension));
  register(commands.showLog, () => {
    log.show();
    return Promise.resolve();
  });
  return store;
}

async function addTypesToWorkspace(extension: vscode.Uri): Promise<void> {
  const folder = await chooseFolder();
  if (folder === undefined) return;
  await addTypes(folder.uri, extension);
  void vscode.window.showInformationMessage(`"agentjet" now has its types in ${folder.name}.`);
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1)
    return vscode.window.showWorkspaceFolderPick({ placeHolder: 'Add the types to which folder?' });
  if (folders.length === 0) {
    void vscode.window.showErrorMessage(
      'Open the folder that the types are for, then run the command again.',
    );
  }
  return folders[0];
}

async function reportingErrors(run: () => Promise<void>, log: vscode.LogOutputChannel): Promise<void> {
  try {
    await run();
  } catch (error) {
    const report = toReport(error, 'vscode/unexpected');
    log.error(formatReport(report, { verbose: true }));
    void showError(formatReport(report), log);
  }
}

/** A message with a button is shown whole; without one the editor cuts it off after the first line. */
async function showError(text: string, log: vscode.LogOutputChannel): Promise<void> {
  const showLog = 'Show Log';
  if ((await vscode.window.showErrorMessage(text, showLog)) === showLog) log.show();
}
