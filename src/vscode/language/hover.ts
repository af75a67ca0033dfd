import * as vscode from 'vscode';
import { hover } from '../../config/hover.ts';
import { toRange, type ConfigTexts } from './configTexts.ts';

export function hoverProvider(texts: ConfigTexts): vscode.HoverProvider {
  return {
    provideHover: (document, position) => {
      const config = texts.parsed(document);
      const shown = config && hover(config, document.offsetAt(position));
      return shown && new vscode.Hover(new vscode.MarkdownString(shown.markdown), toRange(shown.range));
    },
  };
}
