import * as vscode from 'vscode';
import type { Language } from '../node/project/source.ts';

/** What examples and new projects ask alike. Undefined is the answer of a user who thought better of it. */
const labels: Readonly<Record<Language, string>> = { python: 'Python', typescript: 'TypeScript' };

/** Asks only where there is a choice. */
export async function chooseLanguage(
  title: string,
  languages: readonly Language[],
): Promise<Language | undefined> {
  if (languages.length < 2) return languages[0];
  const items = languages.map((language) => ({ label: labels[language], language }));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('In which language'),
  });
  return chosen?.language;
}

/** The folder that a new one is to be made in, as a path. */
export async function askForParent(title: string, openLabel: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel,
    title,
  });
  return chosen?.[0]?.fsPath;
}

/** In this window where it is empty, else in another. */
export async function openFolder(folder: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.file(folder);
  const forceNewWindow = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
  await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow });
  return uri;
}
