import * as vscode from 'vscode';
import { CodedError } from '../../base/errors.ts';
import { exists } from '../exists.ts';
import { placeTypes } from './addTypes.ts';

/** The one to begin with. */
const first = 'math_agent';

/** Copies an example to a folder, both the user's choice, and opens it. Undefined when the user thought better of it. */
export async function openExample(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const example = await chooseExample(extension);
  if (example === undefined) return undefined;
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: 'Put the Example Here',
    title: 'Where should the example go?',
  });
  const parent = chosen?.[0];
  if (parent === undefined) return undefined;
  const folder = await copyExample(extension, example, parent);
  await vscode.commands.executeCommand('vscode.openFolder', folder, {
    forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
  });
  return folder;
}

async function chooseExample(extension: vscode.Uri): Promise<string | undefined> {
  const examples = vscode.Uri.joinPath(extension, 'media/examples');
  const entries = await vscode.workspace.fs.readDirectory(examples);
  const names = entries.filter(([, type]) => type === vscode.FileType.Directory).map(([name]) => name);
  names.sort((a, b) => Number(b === first) - Number(a === first) || a.localeCompare(b));
  const items = await Promise.all(
    names.map(async (name) => ({
      label: name,
      detail: await descriptionOf(vscode.Uri.joinPath(examples, name)),
    })),
  );
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'AgentJet: Open Example',
    placeHolder: 'Which example to copy and open',
    matchOnDetail: true,
  });
  return chosen?.label;
}

/** What its `package.json` says of it. */
async function descriptionOf(example: vscode.Uri): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(example, 'package.json'));
  const { description } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly description?: string };
  return description ?? '';
}

/** The copy, types included. Never writes over a folder that is there. */
export async function copyExample(
  extension: vscode.Uri,
  example: string,
  parent: vscode.Uri,
): Promise<vscode.Uri> {
  const folder = vscode.Uri.joinPath(parent, example);
  if (await exists(folder)) throw alreadyThere(folder);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(extension, 'media/examples', example), folder);
  await placeTypes(folder, extension);
  return folder;
}

function alreadyThere(folder: vscode.Uri): CodedError {
  return new CodedError({
    code: 'example/already-there',
    message: `There is already a folder ${folder.fsPath}.`,
    hint: 'Open that folder, or choose another place.',
  });
}
