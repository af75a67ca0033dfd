import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { ConfigChecks } from './configChecks.ts';
import type { ConfigContexts } from './configContexts.ts';
import { configSelector, spanToRange, toRange, type ConfigTexts } from './configTexts.ts';
import { foldingProvider, selectionProvider, symbolProvider } from './outline.ts';
import { quickFixKinds, quickFixProvider } from './quickFixes.ts';
import { hoverIn } from '../../core/hover.ts';
import { locateConfig } from './workspaceFs.ts';
import { linksOf } from '../../core/navigate/links.ts';
import { referencesAt } from '../../core/navigate/references.ts';
import { renamableAt, renameAt } from '../../core/navigate/rename.ts';
import { definitionAt } from '../../core/navigate/definition.ts';
import { inlayHints } from '../../core/inlay/inlayHints.ts';
import { settings } from '../../../base/core/ids.ts';
import { isOn, onSettingChanged } from '../../../base/editor/lenses.ts';
import { completeIn } from '../../core/completion/completeIn.ts';
import type { Completion } from '../../core/completion/completion.ts';
import type { LinedText } from '../../core/text.ts';

const completionTriggers = [' ', '.', '{', '$', '/', '>', ':'];

const kinds: Readonly<Record<Completion['kind'], vscode.CompletionItemKind>> = {
  section: vscode.CompletionItemKind.Module,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.EnumMember,
  snippet: vscode.CompletionItemKind.Snippet,
  file: vscode.CompletionItemKind.File,
  folder: vscode.CompletionItemKind.Folder,
  class: vscode.CompletionItemKind.Class,
  reference: vscode.CompletionItemKind.Reference,
  resolver: vscode.CompletionItemKind.Function,
};

function completionProvider(texts: ConfigTexts, contexts: ConfigContexts): vscode.CompletionItemProvider {
  return {
    provideCompletionItems: async (document, position, cancelled) => {
      const config = texts.textOf(document);
      if (config === undefined) return [];
      const { dialect, text } = config;
      const configEnvironment = contexts.environmentOf(document.uri);
      const composition = (await contexts.whole(document))?.composition;
      const offers = await completeIn(text, document.offsetAt(position), {
        dialect,
        configEnvironment,
        ...(composition && { composition }),
      });
      return cancelled.isCancellationRequested ? [] : offers.map((offer) => toItem(offer, text));
    },
  };
}

function toItem(completion: Completion, text: LinedText): vscode.CompletionItem {
  const item = new vscode.CompletionItem(completion.label, kinds[completion.kind]);
  const { newText, span } = completion.edit;
  item.detail = completion.detail;
  item.documentation = new vscode.MarkdownString(completion.documentation);
  item.insertText = completion.snippet ? new vscode.SnippetString(newText) : newText;
  item.range = spanToRange(text, span);
  item.sortText = completion.sortText;
  item.filterText = completion.filterText;
  // The text to insert has its indentation already.
  item.keepWhitespace = true;
  if (completion.deprecated) item.tags = [vscode.CompletionItemTag.Deprecated];
  if (completion.opensNext) item.command = { title: '', command: 'editor.action.triggerSuggest' };
  return item;
}

/** Registers the language providers. They see every YAML file, but only answer for supported dialects. */
export function registerProviders(
  texts: ConfigTexts,
  contexts: ConfigContexts,
  checks: ConfigChecks,
): Disposable {
  const { languages } = vscode;
  const store = new DisposableStore();
  const completion = completionProvider(texts, contexts);
  store.add(languages.registerCompletionItemProvider(configSelector, completion, ...completionTriggers));
  store.add(languages.registerHoverProvider(configSelector, hoverProvider(contexts)));
  const fixes = { providedCodeActionKinds: quickFixKinds };
  store.add(languages.registerCodeActionsProvider(configSelector, quickFixProvider(checks), fixes));
  store.add(languages.registerDefinitionProvider(configSelector, definitionProvider(contexts)));
  store.add(languages.registerReferenceProvider(configSelector, referenceProvider(contexts)));
  store.add(languages.registerRenameProvider(configSelector, renameProvider(contexts)));
  store.add(languages.registerDocumentLinkProvider(configSelector, linkProvider(contexts)));
  store.add(languages.registerDocumentSymbolProvider(configSelector, symbolProvider(texts)));
  store.add(languages.registerFoldingRangeProvider(configSelector, foldingProvider(texts)));
  store.add(languages.registerSelectionRangeProvider(configSelector, selectionProvider(texts)));
  store.add(registerInlayHints(contexts));
  return store;
}

function hoverProvider(contexts: ConfigContexts): vscode.HoverProvider {
  return {
    provideHover: async (document, position) => {
      const context = await contexts.of(document);
      const { cwd } = locateConfig(document.uri);
      const shown = context && hoverIn(context, document.offsetAt(position), cwd);
      return shown && new vscode.Hover(new vscode.MarkdownString(shown.markdown), toRange(shown.range));
    },
  };
}

function linkProvider(contexts: ConfigContexts): vscode.DocumentLinkProvider {
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

function referenceProvider(contexts: ConfigContexts): vscode.ReferenceProvider {
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

/** Renames user-defined keys and every `${…}` that names them. The editor shows the text of an error at the cursor. */
function renameProvider(contexts: ConfigContexts): vscode.RenameProvider {
  return {
    prepareRename: async (document, position) => {
      const context = await contexts.of(document);
      if (context === undefined) throw new Error(vscode.l10n.t("The element can't be renamed."));
      const found = renamableAt(context, document.offsetAt(position));
      if (!found.ok) throw new Error(found.message);
      return { range: spanToRange(context.document, found.span), placeholder: found.name };
    },
    provideRenameEdits: async (document, position, newName) => {
      const context = await contexts.of(document);
      if (context === undefined) return undefined;
      const renamed = renameAt(context, document.offsetAt(position), newName);
      if (!renamed.ok) throw new Error(renamed.message);
      const edit = new vscode.WorkspaceEdit();
      for (const { span, newText } of renamed.edits) {
        edit.replace(document.uri, spanToRange(context.document, span), newText);
      }
      return edit;
    },
  };
}

function definitionProvider(contexts: ConfigContexts): vscode.DefinitionProvider {
  return {
    provideDefinition: async (document, position) => {
      const context = await contexts.of(document);
      const found = context && definitionAt(context, document.offsetAt(position));
      if (context === undefined || found === undefined) return [];
      const { fs } = locateConfig(document.uri);
      const originSelectionRange = spanToRange(context.document, found.span);
      return found.targets.map((target): vscode.LocationLink => {
        const { uri, range } = fs.location(target);
        // A place in the config itself is one in the document, which need not be in a file.
        const targetUri = target.file === context.file ? document.uri : uri;
        return { originSelectionRange, targetUri, targetRange: range };
      });
    },
  };
}

function registerInlayHints(contexts: ConfigContexts): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(contexts.onStale(() => changed.fire()));
  store.add(onSettingChanged(settings.inlayHints, () => changed.fire()));
  const provider: vscode.InlayHintsProvider = {
    onDidChangeInlayHints: changed.event,
    provideInlayHints: async (document, range) => {
      if (!isOn(settings.inlayHints, document)) return [];
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
