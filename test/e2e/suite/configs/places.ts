/** What the editor answers about a place in a config. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../documents.ts';

/** Where `text` stands in the document; `|` in it is the place meant, else its start. */
export function at(document: vscode.TextDocument, text: string): vscode.Position {
  const caret = text.indexOf('|');
  const start = document.getText().indexOf(text.replace('|', ''));
  assert.ok(start >= 0, `${document.fileName} contains ${text}`);
  return document.positionAt(start + Math.max(caret, 0));
}

/** Each target as `file:line`, the file relative to the workspace, with the text of the line. */
export async function definitions(document: vscode.TextDocument, text: string): Promise<string[]> {
  return Promise.all((await definitionsOf(document, text)).map(described));
}

/** Where the name at a place leads. */
export async function definitionsOf(
  document: vscode.TextDocument,
  text: string,
): Promise<readonly vscode.Location[]> {
  const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
    'vscode.executeDefinitionProvider',
    document.uri,
    at(document, text),
  );
  return found.map((each) =>
    'targetUri' in each
      ? new vscode.Location(each.targetUri, each.targetSelectionRange ?? each.targetRange)
      : each,
  );
}

export async function references(document: vscode.TextDocument, text: string): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.Location[]>(
    'vscode.executeReferenceProvider',
    document.uri,
    at(document, text),
  );
  return Promise.all(found.map(described));
}

async function described({ uri, range }: vscode.Location): Promise<string> {
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

/** The read-only document that is open under this title. */
export function effectiveDocument(label = 'agent (effective)'): vscode.TextDocument {
  const document = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.scheme === 'agentjet-effective' && uri.path.includes(label),
  );
  assert.ok(document, 'the document is open');
  return document;
}

export function lineWith(document: vscode.TextDocument, text: string): string {
  const lines = document.getText().split('\n');
  return lines.find((line) => line.includes(text)) ?? `no line with ${text}`;
}

/** Waits until a document has `text` in it. */
export async function shows(document: vscode.TextDocument, text: RegExp): Promise<void> {
  await eventually(
    `it shows ${String(text)}`,
    () => text.test(document.getText()),
    vscode.workspace.onDidChangeTextDocument,
    () => document.getText().slice(0, 2000),
  );
}

/** What stands in the lines of a document beside its text, as `line text`. */
export async function hints(document: vscode.TextDocument): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.InlayHint[]>(
    'vscode.executeInlayHintProvider',
    document.uri,
    new vscode.Range(0, 0, document.lineCount, 0),
  );
  return found.map(({ position, label }) => {
    const text = typeof label === 'string' ? label : label.map(({ value }) => value).join('');
    return `${position.line + 1} ${text}`;
  });
}
