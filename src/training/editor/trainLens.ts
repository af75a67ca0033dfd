import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { launchKey } from '../../configs/core/dialect.ts';
import { shortText } from '../../configs/editor/choose/target.ts';
import { commands, languages, settings, settingsSection } from '../../base/core/ids.ts';
import type { KnownHosts } from './knownHosts.ts';

/** "Train on GPU Host" above a config, once there is a host. */
export function registerTrainLens(hosts: KnownHosts): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(hosts.onChanged(() => changed.fire()));
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.codeLens}`)) changed.fire();
    }),
  );
  store.add(
    vscode.languages.registerCodeLensProvider(
      { language: languages.config, scheme: 'file' },
      { onDidChangeCodeLenses: changed.event, provideCodeLenses: (document) => lenses(hosts, document) },
    ),
  );
  return store;
}

function lenses(hosts: KnownHosts, document: vscode.TextDocument): vscode.CodeLens[] {
  const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
  if (hosts.list().length === 0 || !section.get<boolean>(settings.codeLens, true)) return [];
  const key = launchKey(shortText(document));
  if (key === undefined) return [];
  const { line } = document.positionAt(key);
  return [
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
      title: vscode.l10n.t('$(rocket) Train on GPU Host'),
      command: commands.trainOnHost,
      arguments: [document.uri],
    }),
  ];
}
