import * as vscode from 'vscode';
import { referencesAt } from '../../core/navigate/references.ts';
import type { ConfigContexts } from './configContexts.ts';
import { toRange } from './configTexts.ts';

/** A key and every `${…}` that goes through it. */
export function referenceProvider(contexts: ConfigContexts): vscode.ReferenceProvider {
  return {
    provideReferences: async (document, position) => {
      const context = await contexts.of(document);
      if (context === undefined) return [];
      return referencesAt(context, document.offsetAt(position)).map(
        (range) => new vscode.Location(document.uri, toRange(range)),
      );
    },
  };
}
