/** The commands Open Example and New Project. Each question resolves to undefined if the user cancels it. */
import * as vscode from 'vscode';
import { type Language, languages, ProjectSource } from '../node/project/source.ts';
import { createProject, problemOfName } from '../node/project/newProject.ts';
import { constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathExists } from '../../base/node/files.ts';
import { copyExample, listExamples, type Example } from '../node/project/example.ts';

const labels: Readonly<Record<Language, string>> = { python: 'Python', typescript: 'TypeScript' };

export async function chooseLanguage(
  title: string,
  available: readonly Language[],
): Promise<Language | undefined> {
  if (available.length < 2) return available[0];
  const items = available.map((language) => ({ label: labels[language], language }));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Select the language of the project'),
  });
  return chosen?.language;
}

/** Asks for the folder in which the folder `name` is created. Starts next to the open folder, or in the home folder. */
async function askForParent(name: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    defaultUri: vscode.Uri.file(await defaultParent()),
    // Not every platform shows the title.
    openLabel: vscode.l10n.t('Create {0} Here', name),
    title: vscode.l10n.t('Select the folder in which AgentJet creates {0}', name),
  });
  return chosen?.[0]?.fsPath;
}

async function defaultParent(): Promise<string> {
  const open = vscode.workspace.workspaceFolders?.[0]?.uri;
  const parent = open?.scheme === 'file' ? path.dirname(open.fsPath) : undefined;
  const isUsable = parent !== undefined && (await pathExists(parent, constants.W_OK));
  return isUsable ? parent : homedir();
}

/** Opens a folder in this window if it has no folder, or else in a new window. */
export async function openFolder(folder: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.file(folder);
  const forceNewWindow = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
  await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow });
  return uri;
}

export async function newProject(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const language = await chooseLanguage(projectTitle(), languages);
  const name = language && (await askForName());
  const parent = name && (await askForParent(name));
  if (language === undefined || name === undefined || parent === undefined) return undefined;
  const { folder } = await createProject(new ProjectSource(extension.fsPath), { name, language, parent });
  return openFolder(folder);
}

const projectTitle = (): string => vscode.l10n.t('AgentJet: New Project');

async function askForName(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: projectTitle(),
    prompt: vscode.l10n.t(
      'The name of the project. Its folder, its config and its classes are named after it.',
    ),
    value: 'my_agent',
    validateInput: problemOfName,
    ignoreFocusOut: true,
  });
}

/** The example for beginners, listed first. */
const first = 'math_agent';

export async function openExample(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const source = new ProjectSource(extension.fsPath);
  const example = await chooseExample(source);
  const language = example && (await chooseLanguage(exampleTitle(), example.languages));
  if (example === undefined || language === undefined) return undefined;
  const parent = await askForParent(example.name);
  if (parent === undefined) return undefined;
  const folder = path.join(parent, example.name);
  await copyExample(source, example.name, language, folder);
  return openFolder(folder);
}

const exampleTitle = (): string => vscode.l10n.t('AgentJet: Open Example');

async function chooseExample(source: ProjectSource): Promise<Example | undefined> {
  const examples = await listExamples(source);
  const items = examples
    .toSorted((a, b) => Number(b.name === first) - Number(a.name === first))
    .map((example) => ({ label: example.name, detail: example.description, example }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: exampleTitle(),
    placeHolder: vscode.l10n.t('Select the example to copy and open'),
    matchOnDetail: true,
  });
  return chosen?.example;
}
