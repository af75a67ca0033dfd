import * as vscode from 'vscode';
import path from 'node:path';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { commands, settings, settingsSection } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { addTypes } from '../../sdk/editor/addTypes.ts';
import { openWalkthrough, showNewProject, showWorkflow } from '../../sdk/editor/firstWindow.ts';
import { newProject, openExample } from '../../sdk/editor/newFolder.ts';
import { fetchModelTokenizer } from './tokenizerFetch.ts';
import { localFiles } from '../../base/node/files.ts';
import { tokenizerFile } from '../node/tokenizer/modelCaches.ts';

interface Choice extends vscode.QuickPickItem {
  /** Resolves to undefined if the user cancels, and to an empty text for no tokenizer. */
  readonly ask: () => Promise<string | undefined>;
}

const choices = (): readonly Choice[] => [
  {
    label: 'tokenizer.json…',
    detail: vscode.l10n.t('A file, with tokenizer_config.json and the chat template in the same folder.'),
    ask: () => openDialog({ canSelectFiles: true, filters: { [vscode.l10n.t('Tokenizer')]: ['json'] } }),
  },
  {
    label: vscode.l10n.t('Folder…'),
    detail: vscode.l10n.t('The folder of a model with all three files.'),
    ask: () => openDialog({ canSelectFiles: false, canSelectFolders: true }),
  },
  {
    label: vscode.l10n.t("The Config's"),
    detail: vscode.l10n.t(
      'The tokenizer of ajet.model.path if it is on this machine, otherwise the built-in one.',
    ),
    ask: () => Promise.resolve(''),
  },
];

/** Saves a tokenizer in the settings of a workspace folder. One below the folder is saved by its relative path. */
async function chooseTokenizer(folder: vscode.WorkspaceFolder): Promise<void> {
  // Two entries, because dialogs on Windows and Linux show either files or folders.
  const choice = await vscode.window.showQuickPick(choices(), {
    title: vscode.l10n.t('AgentJet: Choose Tokenizer'),
    placeHolder: vscode.l10n.t('Select a tokenizer'),
  });
  const place = await choice?.ask();
  if (place === undefined) return;
  if (place !== '') await tokenizerFile(place, localFiles);
  await vscode.workspace
    .getConfiguration(settingsSection, folder)
    .update(
      settings.tokenizer,
      place === '' ? undefined : asWritten(place, folder),
      vscode.ConfigurationTarget.WorkspaceFolder,
    );
}

async function openDialog(options: vscode.OpenDialogOptions): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ ...options, openLabel: vscode.l10n.t('Choose') });
  return chosen?.[0]?.fsPath;
}

function asWritten(place: string, folder: vscode.WorkspaceFolder): string {
  const relative = path.relative(folder.uri.fsPath, place);
  const isBelow = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  return isBelow ? relative.split(path.sep).join('/') : place;
}

/** Registers the commands that do not start a run. A command ends with its work; it does not wait for its messages. */
export function registerSetupCommands(extension: vscode.Uri, log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const register = (id: string, run: (argument: unknown) => Promise<void>): void => {
    store.add(
      vscode.commands.registerCommand(id, (argument: unknown) => reportingErrors(() => run(argument), log)),
    );
  };
  register(commands.openExample, async () => {
    await openExample(extension);
  });
  register(commands.newProject, async () => {
    await newProject(extension);
  });
  register(commands.showWorkflow, showWorkflow);
  register(commands.addTypes, () => addTypesToWorkspace(extension));
  register(commands.chooseTokenizer, async () => {
    const folder = await chooseFolder(
      vscode.l10n.t('Select the folder that uses the tokenizer'),
      vscode.l10n.t('Open the folder that uses the tokenizer, then run the command again.'),
    );
    if (folder) await chooseTokenizer(folder);
  });
  register(commands.fetchTokenizer, fetchModelTokenizer);
  register(commands.getStarted, () => openWalkthrough(false));
  register(commands.openDocumentation, async () => {
    const page = vscode.Uri.joinPath(extension, 'docs/get-started.md');
    await vscode.commands.executeCommand('markdown.showPreview', page);
  });
  register(commands.showLog, () => {
    log.show();
    return Promise.resolve();
  });
  void reportingErrors(showNewProject, log);
  return store;
}

async function addTypesToWorkspace(extension: vscode.Uri): Promise<void> {
  const folder = await chooseFolder(
    vscode.l10n.t('Select the folder for the types'),
    vscode.l10n.t('Open the folder for the types, then run the command again.'),
  );
  if (folder === undefined) return;
  await addTypes(folder.uri, extension);
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The types of "agentjet" were added to {0}.', folder.name),
  );
}

/** @param none the message if no folder is open */
async function chooseFolder(question: string, none: string): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return vscode.window.showWorkspaceFolderPick({ placeHolder: question });
  if (folders.length === 0) {
    void vscode.window.showErrorMessage(none);
  }
  return folders[0];
}
