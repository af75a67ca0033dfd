import * as vscode from 'vscode';
import { createProject, problemOfName } from '../node/project/newProject.ts';
import { languages, ProjectSource } from '../node/project/source.ts';
import { askForParent, chooseLanguage, openFolder } from './newFolder.ts';

/** Makes a project that runs at the first F5, and opens it. Undefined when the user thought better of it. */
export async function newProject(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const language = await chooseLanguage(title(), languages);
  const name = language && (await askForName());
  const parent = name && (await askForPlace());
  if (language === undefined || name === undefined || parent === undefined) return undefined;
  const { folder } = await createProject(new ProjectSource(extension.fsPath), { name, language, parent });
  return openFolder(folder);
}

const title = (): string => vscode.l10n.t('AgentJet: New Project');

function askForPlace(): Promise<string | undefined> {
  return askForParent(vscode.l10n.t('Where should the project go?'), vscode.l10n.t('Make the Project Here'));
}

async function askForName(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: title(),
    prompt: vscode.l10n.t('The name of the project, which its folder, its config and its classes get'),
    value: 'my_agent',
    validateInput: problemOfName,
    ignoreFocusOut: true,
  });
}
