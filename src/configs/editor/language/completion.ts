import * as vscode from 'vscode';
import { completeIn } from '../../core/completion/completeIn.ts';
import type { Completion } from '../../core/completion/completion.ts';
import type { LinedText } from '../../core/text.ts';
import type { ConfigContexts } from './configContexts.ts';
import { spanToRange, type ConfigTexts } from './configTexts.ts';

export const completionTriggers = [' ', '.', '{', '$', '/', '>', ':'];

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

export function completionProvider(
  texts: ConfigTexts,
  contexts: ConfigContexts,
): vscode.CompletionItemProvider {
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
