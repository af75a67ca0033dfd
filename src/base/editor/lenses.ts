import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/disposable.ts';
import { settings, settingsSection } from '../core/ids.ts';

/** Returns true if a setting is on. By default it is. */
export function isOn(setting: string, scope: { readonly uri: vscode.Uri } | undefined): boolean {
  return vscode.workspace.getConfiguration(settingsSection, scope?.uri).get<boolean>(setting, true);
}

export function onSettingChanged(setting: string, run: () => void): Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${settingsSection}.${setting}`)) run();
  });
}

/** Registers code lenses, which the user can switch off. They are computed again after each of `events`. */
export function registerLenses(
  selector: vscode.DocumentSelector,
  provide: (document: vscode.TextDocument) => vscode.ProviderResult<vscode.CodeLens[]>,
  events: readonly ((listener: () => void) => Disposable)[] = [],
): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  for (const event of events) store.add(event(() => changed.fire()));
  store.add(onSettingChanged(settings.codeLens, () => changed.fire()));
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => (isOn(settings.codeLens, document) ? provide(document) : []),
  };
  store.add(vscode.languages.registerCodeLensProvider(selector, provider));
  return store;
}
