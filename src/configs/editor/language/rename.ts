import * as vscode from 'vscode';
import { renamableAt, renameAt } from '../../core/navigate/rename.ts';
import type { ConfigContexts } from './configContexts.ts';
import { spanToRange } from './configTexts.ts';

/**
 * Renames user-defined keys and every `${…}` that names them. The editor shows the text of an error at the cursor.
 */
export function renameProvider(contexts: ConfigContexts): vscode.RenameProvider {
  return {
    prepareRename: async (document, position) => {
      const context = await contexts.of(document);
      if (context === undefined) throw new Error(vscode.l10n.t("The element can't be renamed."));
      const found = renamableAt(context, document.offsetAt(position));
      if (!found.ok) throw new Error(found.message);
      return { range: spanToRange(context.document, found.span), placeholder: found.name };
    },
    provideRenameEdits: async (document, position, newName) => {
      const context = await contexts.of(document);
      if (context === undefined) return undefined;
      const renamed = renameAt(context, document.offsetAt(position), newName);
      if (!renamed.ok) throw new Error(renamed.message);
      const edit = new vscode.WorkspaceEdit();
      for (const { span, newText } of renamed.edits) {
        edit.replace(document.uri, spanToRange(context.document, span), newText);
      }
      return edit;
    },
  };
}
