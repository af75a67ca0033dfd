/** Files of the open workspace, as a person at the editor opens, changes and closes them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from './debugging.ts';

/** Writes a file of the workspace on disk. */
export async function write(name: string, text: string): Promise<vscode.Uri> {
  const uri = fileUri(name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

export async function read(name: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(fileUri(name)));
}

export async function remove(name: string): Promise<void> {
  await vscode.workspace.fs.delete(fileUri(name), { recursive: true });
}

/** Opens the file in front. What the API opens itself stays open in the background; this ends with its tab. */
export async function show(uri: vscode.Uri): Promise<vscode.TextDocument> {
  await vscode.commands.executeCommand('vscode.open', uri);
  const document = vscode.window.activeTextEditor?.document;
  assert.equal(document?.uri.toString(), uri.toString(), 'the file is in front');
  return document;
}

export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap((group) => group.tabs));
}

/** Replaces the first occurrence of `text` in the editor, without saving. */
export async function replace(document: vscode.TextDocument, text: string, by: string): Promise<void> {
  const start = document.getText().indexOf(text);
  assert.ok(start >= 0, `${document.fileName} contains ${text}`);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + text.length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, by);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** Inserts one of the snippets of a language where the caret is. */
export async function insertSnippet(langId: string, name: string): Promise<void> {
  await vscode.commands.executeCommand('editor.action.insertSnippet', { langId, name });
}

/** Waits until the problems of a file are as `holds` says, and resolves to them. */
export async function problems(
  uri: vscode.Uri,
  what: string,
  holds: (problems: readonly vscode.Diagnostic[]) => boolean,
  timeoutMs = 30_000,
): Promise<readonly vscode.Diagnostic[]> {
  const current = (): readonly vscode.Diagnostic[] => vscode.languages.getDiagnostics(uri);
  await eventually(
    what,
    () => holds(current()),
    vscode.languages.onDidChangeDiagnostics,
    () => current().map(textOf).join('\n'),
    timeoutMs,
  );
  return current();
}

export function textOf({ message, range, severity, source }: vscode.Diagnostic): string {
  const { line, character } = range.start;
  const level = vscode.DiagnosticSeverity[severity];
  return `${line + 1}:${character + 1} ${level} ${source ?? ''}: ${message}`;
}

/** Waits until the condition holds, looking again at each event; `state` is for the failure. */
export async function eventually(
  what: string,
  holds: () => boolean,
  event: vscode.Event<unknown>,
  state: () => string,
  timeoutMs = 30_000,
): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      subscription.dispose();
      clearTimeout(limit);
    };
    const subscription = event(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
    const limit = setTimeout(() => {
      stop();
      // This process may have stood still for so long.
      if (holds()) resolve();
      else reject(new Error(`Waited in vain until ${what}. Now:\n${state()}`));
    }, timeoutMs);
  });
}

/** The texts of what shows under the mouse at a word of the document. */
export async function hoverTexts(document: vscode.TextDocument, word: string): Promise<string[]> {
  const start = document.getText().indexOf(word);
  assert.ok(start >= 0, `${document.fileName} contains ${word}`);
  const hovers = await vscode.commands.executeCommand<readonly vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    document.positionAt(start + 1),
  );
  return hovers.map(({ contents }) => contents.map(markdown).join('\n'));
}

function markdown(text: vscode.Hover['contents'][number] | string): string {
  if (typeof text === 'string') return text;
  return text instanceof vscode.MarkdownString ? text.value : JSON.stringify(text);
}

/** What is offered at a place. */
export async function completions(
  document: vscode.TextDocument,
  offset: number,
): Promise<readonly vscode.CompletionItem[]> {
  const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
    'vscode.executeCompletionItemProvider',
    document.uri,
    document.positionAt(offset),
  );
  return items;
}

export function labelOf({ label }: vscode.CompletionItem): string {
  return typeof label === 'string' ? label : label.label;
}
