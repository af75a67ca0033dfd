/** The folders of the workspace, by their names. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

export function folder(name: string): vscode.WorkspaceFolder {
  const found = vscode.workspace.workspaceFolders?.find((each) => each.name === name);
  assert.ok(found, `the workspace has a folder ${name}`);
  return found;
}

export function inFolder(name: string, file: string): vscode.Uri {
  return vscode.Uri.joinPath(folder(name).uri, file);
}
