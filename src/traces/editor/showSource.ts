import * as vscode from 'vscode';
import { CodedError, messageOf } from '../../base/core/errors.ts';
import type { SourceView } from '../core/protocol/codeRpc.ts';
import { openViewers } from './showTrace.ts';

/**
 * Opens the line next to the viewer. The file is only shown. It must be source code of a workflow, because traces come
 * from anywhere.
 */
export async function showSource({ file, line, column, state }: SourceView): Promise<void> {
  if (!/\.(?:py|pyw|[cm]?[jt]sx?)$/i.test(file)) throw notCode(file);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file)).then(
    (opened) => opened,
    (error: unknown) => Promise.reject(cannotOpen(file, error)),
  );
  const at = new vscode.Position(Math.min(line, document.lineCount) - 1, Math.max((column ?? 1) - 1, 0));
  await vscode.window.showTextDocument(document, {
    viewColumn: columnBesideViewers(),
    selection: new vscode.Range(at, at),
  });
  if (state === 'changed') {
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('The file has changed since the run: the line may have moved.'),
      messageTime,
    );
  }
}

/** Milliseconds. */
const messageTime = 8_000;

/** Returns the column with the user's code; otherwise a column next to the viewers. */
function columnBesideViewers(): vscode.ViewColumn {
  const taken = new Set(openViewers().map(({ column }) => column));
  const free = vscode.window.tabGroups.all.find(({ viewColumn }) => !taken.has(viewColumn));
  return free?.viewColumn ?? vscode.ViewColumn.Beside;
}

function notCode(file: string): CodedError {
  return new CodedError({
    code: 'trace/not-code',
    message: vscode.l10n.t(
      'The trace names {0}, which is not a TypeScript, JavaScript or Python file.',
      file,
    ),
    hint: vscode.l10n.t('If you trust the trace, open the file yourself.'),
  });
}

function cannotOpen(file: string, cause: unknown): CodedError {
  return new CodedError({
    code: 'trace/source-gone',
    message: vscode.l10n.t('{0} cannot be opened: {1}', file, messageOf(cause)),
    hint: vscode.l10n.t('Restore the file to its location during the run.'),
    cause,
  });
}
