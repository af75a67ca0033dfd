/** What stands above lines of code about the last run. */
import * as vscode from 'vscode';
import type { Conversation } from './debugging.ts';

export interface RunLens {
  /** From 0. */
  readonly line: number;
  readonly title: string;
  readonly trace: string;
  readonly place: string;
}

export async function runLenses(uri: vscode.Uri): Promise<readonly RunLens[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
  );
  return lenses.flatMap(({ command, range }) => {
    if (command?.command !== 'agentjet.openTrace') return [];
    const [trace, place] = command.arguments as [vscode.Uri, string];
    return [{ line: range.start.line, title: command.title, trace: trace.fsPath, place }];
  });
}

/** Waits until they are as `holds` says, and resolves to them. */
export async function lensesUntil(
  debug: Conversation,
  uri: vscode.Uri,
  what: string,
  holds: (lenses: readonly RunLens[]) => boolean,
): Promise<readonly RunLens[]> {
  let lenses: readonly RunLens[] = [];
  let failure: { readonly error: unknown } | undefined;
  let asking = false;
  const ask = async (): Promise<void> => {
    // A file that no editor shows is forgotten after minutes, and then asking about it fails.
    await vscode.workspace.openTextDocument(uri);
    lenses = await runLenses(uri);
  };
  await debug.until(what, () => {
    if (!asking) {
      asking = true;
      ask()
        .catch((error: unknown) => (failure = { error }))
        .finally(() => (asking = false));
    }
    return failure !== undefined || holds(lenses);
  });
  if (failure !== undefined) throw failure.error;
  return lenses;
}
