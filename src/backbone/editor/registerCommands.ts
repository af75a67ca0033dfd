import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { commands } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { addTypes } from '../../sdk/editor/addTypes.ts';
import { newProject, openExample } from '../../sdk/editor/newFolder.ts';
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
  register(commands.newProject, async () => {
    await newProject(extension);
  });
  register(commands.addTypes, () => addTypesToWorkspace(extension));
  register(commands.chooseTokenizer, async () => {
    const folder = await chooseFolder(
      vscode.l10n.t('Choose a tokenizer for which folder?'),
      vscode.l10n.t('Open the folder that the tokenizer is for, then run the command again.'),
    );
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
  const folder = await chooseFolder(
    vscode.l10n.t('Add the types to which folder?'),
    vscode.l10n.t('Open the folder that the types are for, then run the command again.'),
  );
  if (folder === undefined) return;
  await addTypes(folder.uri, extension);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('"agentjet" now has its types in {0}.', folder.name),
  );
}

/** @param none said where no folder is open */
async function chooseFolder(question: string, none: string): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return vscode.window.showWorkspaceFolderPick({ placeHolder: question });
  if (folders.length === 0) {
    void vscode.window.showErrorMessage(none);
  }
  return folders[0];
}
