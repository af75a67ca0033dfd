import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { inlayHints } from '../../core/inlay/inlayHints.ts';
import { settings, settingsSection } from '../../../base/core/ids.ts';
import type { ConfigContexts } from './configContexts.ts';
import { configSelector } from './configTexts.ts';

/** Shows derived values in the lines of a config. */
export function registerInlayHints(contexts: ConfigContexts): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(contexts.onStale(() => changed.fire()));
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.inlayHints}`)) changed.fire();
    }),
  );
  const provider: vscode.InlayHintsProvider = {
    onDidChangeInlayHints: changed.event,
    provideInlayHints: async (document, range) => {
      const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
      if (!section.get<boolean>(settings.inlayHints, true)) return [];
      const { version } = document;
      const context = await contexts.of(document);
      if (context === undefined || document.version !== version) return [];
      return inlayHints(context).flatMap(({ offset, text, tooltip }) => {
        const position = document.positionAt(offset);
        if (!range.contains(position)) return [];
        const hint = new vscode.InlayHint(position, apart(text));
        hint.paddingLeft = true;
        hint.tooltip = new vscode.MarkdownString(tooltip);
        return [hint];
      });
    },
  };
  store.add(vscode.languages.registerInlayHintsProvider(configSelector, provider));
  return store;
}

/** Numbers behind a number would read as one. */
function apart(text: string): string {
  return text.startsWith('=') ? text : `→ ${text}`;
}
