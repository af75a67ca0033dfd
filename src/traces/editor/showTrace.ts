import * as vscode from 'vscode';
import { traceEditorType } from '../../base/core/ids.ts';

export interface ShowOptions {
  /** True to open in a side editor and keep the focus. */
  readonly beside: boolean;
  /** True to take the focus also in a side editor. */
  readonly focus?: boolean;
}

/** Opens a trace in its viewer, or reveals the viewer that already shows it. */
export async function showTrace(trace: vscode.Uri, { beside, focus = !beside }: ShowOptions): Promise<void> {
  const viewers = openViewers();
  const same = viewers.find(({ uri }) => uri.toString() === trace.toString());
  const column = (same ?? (beside ? viewers[0] : undefined))?.column;
  // With the number of a column, VS Code makes its group the active one even with `preserveFocus`.
  const isNext = Number(column) - vscode.window.tabGroups.activeTabGroup.viewColumn === 1;
  const known = isNext ? vscode.ViewColumn.Beside : column;
  const options: vscode.TextDocumentShowOptions = {
    viewColumn: known ?? (beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active),
    preserveFocus: !focus,
    preview: beside,
  };
  await vscode.commands.executeCommand('vscode.openWith', trace, traceEditorType, options);
}

/** Returns the open viewers. The next viewer opens in their column, so that runs do not split the window again. */
export function openViewers(): { readonly uri: vscode.Uri; readonly column: vscode.ViewColumn }[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs.flatMap(({ input }) =>
      input instanceof vscode.TabInputCustom && input.viewType === traceEditorType
        ? [{ uri: input.uri, column: viewColumn }]
        : [],
    ),
  );
}
