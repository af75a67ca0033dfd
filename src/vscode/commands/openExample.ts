import * as vscode from 'vscode';
import { CodedError } from '../../base/errors.ts';
import { exists } from '../exists.ts';
import { placeTypes } from './addTypes.ts';

const example = 'math_agent';

/** Copies the example to a folder that the user chooses, and opens it. Undefined when the user thought better of it. */
export async function openExample(extension: vscode.Uri): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: 'Put the Example Here',
    title: 'Where should the example go?',
  });
  const parent = chosen?.[0];
  if (parent === undefined) return undefined;
  const folder = await copyExample(extension, parent);
  await vscode.commands.executeCommand('vscode.openFolder', folder, {
    forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
  });
  return folder;
}

/** The copy, types included. Never writes over a folder that is there. */
export async function copyExample(extension: vscode.Uri, parent: vscode.Uri): Promise<vscode.Uri> {
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
