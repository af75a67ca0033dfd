import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { topLevelKeys } from '../../core/isAgentJetConfig.ts';
import { commands, settings, settingsSection } from '../../../base/core/ids.ts';
import { configSelector, type ConfigText, type ConfigTexts } from './configTexts.ts';

/** "Show Effective Config" where a config begins. */
export function registerConfigLenses(texts: ConfigTexts): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.codeLens}`)) changed.fire();
    }),
  );
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => {
      const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
      const config = texts.textOf(document);
      if (config === undefined || !section.get<boolean>(settings.codeLens, true)) return [];
      const position = document.positionAt(beginOf(config));
      return [
        new vscode.CodeLens(new vscode.Range(position, position), {
          title: vscode.l10n.t('$(open-preview) Show Effective Config'),
          command: commands.showEffectiveConfig,
          arguments: [document.uri],
        }),
      ];
    },
  };
  store.add(vscode.languages.registerCodeLensProvider(configSelector, provider));
  return store;
}

/** The dialect's own section; where keys stand at the top, the first of them. */
function beginOf({ text: { text }, dialect: { section } }: ConfigText): number {
  for (const { name, offset } of topLevelKeys(text)) {
    if (section === undefined || name === section) return offset;
  }
  return 0;
}
