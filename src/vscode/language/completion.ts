import * as vscode from 'vscode';
import { complete, type Completion } from '../../config/complete.ts';
import type { LinedText } from '../../config/text.ts';
import { toRange, type ConfigTexts } from './configTexts.ts';

const kinds: Record<Completion['kind'], vscode.CompletionItemKind> = {
  section: vscode.CompletionItemKind.Module,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.EnumMember,
};

export function completionProvider(texts: ConfigTexts): vscode.CompletionItemProvider {
  return {
    provideCompletionItems: (document, position) => {
      const text = texts.textOf(document);
      if (text === undefined) return [];
      return complete(text, document.offsetAt(position)).map((completion) => toItem(completion, text));
    },
  };
}

function toItem(completion: Completion, { lines }: LinedText): vscode.CompletionItem {
  const item = new vscode.CompletionItem(completion.label, kinds[completion.kind]);
  item.detail = completion.detail;
  item.documentation = new vscode.MarkdownString(completion.documentation);
  item.insertText = completion.edit.newText;
  item.range = toRange(lines.range(completion.edit.span));
  item.sortText = completion.sortText;
  item.filterText = completion.filterText;
  // The text to insert has its indentation already.
  item.keepWhitespace = true;
  if (completion.deprecated) item.tags = [vscode.CompletionItemTag.Deprecated];
  if (completion.opensNext) item.command = { title: '', command: 'editor.action.triggerSuggest' };
  return item;
}
