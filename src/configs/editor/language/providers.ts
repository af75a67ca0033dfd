import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { completionProvider, completionTriggers } from './completion.ts';
import type { ConfigChecks } from './configChecks.ts';
import type { ConfigContexts } from './configContexts.ts';
import { configSelector as selector, type ConfigTexts } from './configTexts.ts';
import { definitionProvider } from './definition.ts';
import { hoverProvider } from './hover.ts';
import { registerInlayHints } from './inlayHints.ts';
import { linkProvider } from './links.ts';
import { foldingProvider, selectionProvider, symbolProvider } from './outline.ts';
import { quickFixKinds, quickFixProvider } from './quickFixes.ts';
import { referenceProvider } from './references.ts';
import { renameProvider } from './rename.ts';

export interface ProviderParts {
  readonly texts: ConfigTexts;
  readonly contexts: ConfigContexts;
  readonly checks: ConfigChecks;
}

/** Registers the language providers. They see every YAML file, but only answer for supported dialects. */
export function registerProviders({ texts, contexts, checks }: ProviderParts): Disposable {
  const { languages } = vscode;
  const store = new DisposableStore();
  const completion = completionProvider(texts, contexts);
  store.add(languages.registerCompletionItemProvider(selector, completion, ...completionTriggers));
  store.add(languages.registerHoverProvider(selector, hoverProvider(contexts)));
  const fixes = { providedCodeActionKinds: quickFixKinds };
  store.add(languages.registerCodeActionsProvider(selector, quickFixProvider(checks), fixes));
  store.add(languages.registerDefinitionProvider(selector, definitionProvider(contexts)));
  store.add(languages.registerReferenceProvider(selector, referenceProvider(contexts)));
  store.add(languages.registerRenameProvider(selector, renameProvider(contexts)));
  store.add(languages.registerDocumentLinkProvider(selector, linkProvider(contexts)));
  store.add(languages.registerDocumentSymbolProvider(selector, symbolProvider(texts)));
  store.add(languages.registerFoldingRangeProvider(selector, foldingProvider(texts)));
  store.add(languages.registerSelectionRangeProvider(selector, selectionProvider(texts)));
  store.add(registerInlayHints(contexts));
  return store;
}
