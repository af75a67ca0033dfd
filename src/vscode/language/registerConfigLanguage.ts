import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../base/ports.ts';
import { completionProvider } from './completion.ts';
import { configSelector, ConfigTexts } from './configTexts.ts';
import { registerDiagnostics } from './diagnostics.ts';
import { hoverProvider } from './hover.ts';
import { quickFixKinds, quickFixProvider } from './quickFixes.ts';

export interface ConfigLanguageParts {
  readonly clock: Clock;
}

/**
 * What the editor knows about AgentJet's configs: diagnostics, completion, hover and quick fixes for YAML files with a
 * top-level `ajet`. Reads no file and runs nothing.
 */
export function registerConfigLanguage({ clock }: ConfigLanguageParts): Disposable {
  const store = new DisposableStore();
  const texts = store.add(new ConfigTexts());
  store.add(registerDiagnostics(texts, clock));
  const { languages } = vscode;
  store.add(languages.registerCompletionItemProvider(configSelector, completionProvider(texts), ' '));
  store.add(languages.registerHoverProvider(configSelector, hoverProvider(texts)));
  const fixes = { providedCodeActionKinds: quickFixKinds };
  store.add(languages.registerCodeActionsProvider(configSelector, quickFixProvider(texts), fixes));
  return store;
}
