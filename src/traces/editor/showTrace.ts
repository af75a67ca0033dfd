import * as vscode from 'vscode';
import { traceEditorType } from '../../base/core/ids.ts';

export interface ShowOptions {
  /** Beside what the user is at, who goes on there. */
  readonly beside: boolean;
  /** Takes the focus also where it opens beside. */
  readonly focus?: boolean;
}

/** Opens a trace in its viewer, or brings the viewer that shows it already to the front. */
export async function showTrace(trace: vscode.Uri, { beside, focus = !beside }: ShowOptions): Promise<void> {
  const viewers = openViewers();
  const same = viewers.find(({ uri }) => uri.toString() === trace.toString());
  const column = (same ?? (beside ? viewers[0] : undefined))?.column;
  const options: vscode.TextDocumentShowOptions = {
    viewColumn: column ?? (beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active),
    preserveFocus: !focus,
    preview: beside,
  };
  await vscode.commands.executeCommand('vscode.openWith', trace, traceEditorType, options);
}

/** Where viewers are: the next one goes there too, so that runs do not split the window again and again. */
export function openViewers(): { readonly uri: vscode.Uri; readonly column: vscode.ViewColumn }[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs.flatMap(({ input }) =>
      input instanceof vscode.TabInputCustom && input.viewType === traceEditorType
        ? [{ uri: input.uri, column: viewColumn }]
        : [],
    ),
  );
}
