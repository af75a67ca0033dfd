import path from 'node:path';
import * as vscode from 'vscode';
import { localFiles } from '../../base/node/files.ts';
import { tokenizerFile } from '../node/tokenizer/modelCaches.ts';
import { settings, settingsSection } from '../../base/core/ids.ts';

interface Choice extends vscode.QuickPickItem {
  /** Undefined: the user thought better of it; empty: none. */
  readonly ask: () => Promise<string | undefined>;
}

const choices = (): readonly Choice[] => [
  {
    label: 'tokenizer.json…',
    detail: vscode.l10n.t('A file, with tokenizer_config.json and the chat template beside it.'),
    ask: () => openDialog({ canSelectFiles: true, filters: { [vscode.l10n.t('Tokenizer')]: ['json'] } }),
  },
  {
    label: vscode.l10n.t('Folder…'),
    detail: vscode.l10n.t('The folder of a model, which holds all three.'),
    ask: () => openDialog({ canSelectFiles: false, canSelectFolders: true }),
  },
  {
    label: vscode.l10n.t("The Config's"),
    detail: vscode.l10n.t('That of ajet.model.path where this machine has it, else the built-in one.'),
    ask: () => Promise.resolve(''),
  },
];

/** Makes a tokenizer the setting of a workspace folder; one below it by its relative path, so that others can use it. */
export async function chooseTokenizer(folder: vscode.WorkspaceFolder): Promise<void> {
  // Two entries, because dialogs on Windows and Linux show either files or folders.
  const choice = await vscode.window.showQuickPick(choices(), {
    title: vscode.l10n.t('AgentJet: Choose Tokenizer'),
    placeHolder: vscode.l10n.t('Whose tokens count'),
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
