import * as vscode from 'vscode';
import type { Location } from '../../../base/core/errors.ts';
import { definitionAt } from '../../core/navigate/definition.ts';
import type { ConfigContexts } from './configContexts.ts';
import { spanToRange } from './configTexts.ts';
import { locateConfig, type WorkspaceFs } from './workspaceFs.ts';

/** From a locator to its class, from `${…}` to its key, from a key to what sets it, from a name to its file. */
export function definitionProvider(contexts: ConfigContexts): vscode.DefinitionProvider {
  return {
    provideDefinition: async (document, position) => {
      const context = await contexts.of(document);
      const found = context && definitionAt(context, document.offsetAt(position));
      if (context === undefined || found === undefined) return [];
      const { fs } = locateConfig(document.uri);
      const originSelectionRange = spanToRange(context.document, found.span);
      return found.targets.map((target): vscode.LocationLink => {
        const { uri, range } = toLocation(target, fs, document.uri, context.file);
        return { originSelectionRange, targetUri: uri, targetRange: range };
      });
    },
  };
}

/** A place in the config itself is one in the document, which need not be in a file. */
export function toLocation(
  { file, line = 1, column = 1 }: Location,
  fs: WorkspaceFs,
  config: vscode.Uri,
  configFile: string,
): vscode.Location {
  const uri = file === configFile ? config : fs.uri(file);
  return new vscode.Location(uri, new vscode.Position(line - 1, column - 1));
}
