import * as vscode from 'vscode';
import { hoverIn } from '../../core/hover.ts';
import type { ConfigContexts } from './configContexts.ts';
import { toRange } from './configTexts.ts';
import { locateConfig } from './workspaceFs.ts';

export function hoverProvider(contexts: ConfigContexts): vscode.HoverProvider {
  return {
    provideHover: async (document, position) => {
      const context = await contexts.of(document);
      const { cwd } = locateConfig(document.uri);
      const shown = context && hoverIn(context, document.offsetAt(position), cwd);
      return shown && new vscode.Hover(new vscode.MarkdownString(shown.markdown), toRange(shown.range));
    },
  };
}
