import * as vscode from 'vscode';
import { linksOf } from '../../core/navigate/links.ts';
import type { ConfigContexts } from './configContexts.ts';
import { toRange } from './configTexts.ts';
import { locateConfig } from './workspaceFs.ts';

/** Files that a config names. */
export function linkProvider(contexts: ConfigContexts): vscode.DocumentLinkProvider {
  return {
    provideDocumentLinks: async (document) => {
      const { version } = document;
      const context = await contexts.of(document);
      if (context === undefined || document.version !== version) return [];
      const { fs } = locateConfig(document.uri);
      return linksOf(context).map(({ range, file, line, column = 1 }) => {
        const fragment = line === undefined ? '' : `L${line},${column}`;
        return new vscode.DocumentLink(toRange(range), fs.uri(file).with({ fragment }));
      });
    },
  };
}
