/** What the editor answers about a place in a config. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** Where `text` stands in the document; `|` in it is the place meant, else its start. */
export function at(document: vscode.TextDocument, text: string): vscode.Position {
  const caret = text.indexOf('|');
  const start = document.getText().indexOf(text.replace('|', ''));
  assert.ok(start >= 0, `${document.fileName} contains ${text}`);
  return document.positionAt(start + Math.max(caret, 0));
}

/** Each target as `file:line`, the file relative to the workspace, with the text of the line. */
export async function definitions(document: vscode.TextDocument, text: string): Promise<string[]> {
  const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
    'vscode.executeDefinitionProvider',
    document.uri,
    at(document, text),
  );
  return Promise.all(found.map(described));
}

export async function references(document: vscode.TextDocument, text: string): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.Location[]>(
    'vscode.executeReferenceProvider',
    document.uri,
    at(document, text),
  );
  return Promise.all(found.map(described));
}

async function described(location: vscode.Location | vscode.LocationLink): Promise<string> {
  const link = 'targetUri' in location;
  const uri = link ? location.targetUri : location.uri;
  const range = link ? (location.targetSelectionRange ?? location.targetRange) : location.range;
  const document = await vscode.workspace.openTextDocument(uri);
  const { line } = range.start;
  return `${vscode.workspace.asRelativePath(uri)}:${line + 1} ${document.lineAt(line).text.trim()}`;
}

/** Titles of what is offered where a finding is. */
export async function fixes(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<readonly vscode.CodeAction[]> {
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
    vscode.CodeActionKind.QuickFix.value,
  );
}

/** The rule of a finding. */
export function ruleOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}
