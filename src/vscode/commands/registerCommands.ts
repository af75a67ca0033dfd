import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { commands } from '../ids.ts';
import { reportingErrors } from '../reportErrors.ts';
import { addTypes } from './addTypes.ts';
import { openExample } from './openExample.ts';
import { chooseTokenizer } from './tokenizerChoice.ts';
import { fetchModelTokenizer } from './tokenizerFetch.ts';

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
  register(commands.chooseTokenizer, async () => {
    const folder = await chooseFolder('Choose a tokenizer for which folder?', 'the tokenizer is');
    if (folder) await chooseTokenizer(folder);
  });
  register(commands.fetchTokenizer, fetchModelTokenizer);
  register(commands.showLog, () => {
    log.show();
    return Promise.resolve();
  });
  return store;
}

async function addTypesToWorkspace(extension: vscode.Uri): Promise<void> {
  const folder = await chooseFolder('Add the types to which folder?', 'the types are');
  if (folder === undefined) return;
  await addTypes(folder.uri, extension);
  void vscode.window.showInformationMessage(`"agentjet" now has its types in ${folder.name}.`);
}

/** @param subject e.g. `the types are`: of what is meant for a folder */
async function chooseFolder(question: string, subject: string): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return vscode.window.showWorkspaceFolderPick({ placeHolder: question });
  if (folders.length === 0) {
    void vscode.window.showErrorMessage(`Open the folder that ${subject} for, then run the command again.`);
  }
  return folders[0];
}
