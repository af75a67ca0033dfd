import * as vscode from 'vscode';
import { foldingOf, selectionRangesAt, symbolsOf, type ConfigSymbol } from '../../core/navigate/outline.ts';
import { toRange, type ConfigTexts } from './configTexts.ts';

const kinds: Readonly<Record<ConfigSymbol['kind'], vscode.SymbolKind>> = {
  section: vscode.SymbolKind.Module,
  list: vscode.SymbolKind.Array,
  text: vscode.SymbolKind.String,
  number: vscode.SymbolKind.Number,
  boolean: vscode.SymbolKind.Boolean,
  null: vscode.SymbolKind.Null,
};

/** The providers return undefined for other files, so that the editor uses its default. */
export function symbolProvider(texts: ConfigTexts): vscode.DocumentSymbolProvider {
  return {
    provideDocumentSymbols: (document) => {
      const config = texts.parsed(document);
      return config && symbolsOf(config).map(toSymbol);
    },
  };
}

function toSymbol({ name, kind, detail, range, selection, children }: ConfigSymbol): vscode.DocumentSymbol {
  const symbol = new vscode.DocumentSymbol(name, detail, kinds[kind], toRange(range), toRange(selection));
  symbol.children = children.map(toSymbol);
  return symbol;
}

const foldKinds = {
  comment: vscode.FoldingRangeKind.Comment,
  region: vscode.FoldingRangeKind.Region,
} as const;

export function foldingProvider(texts: ConfigTexts): vscode.FoldingRangeProvider {
  return {
    provideFoldingRanges: (document) => {
      const config = texts.parsed(document);
      return (
        config &&
        foldingOf(config).map(
          ({ startLine, endLine, kind }) =>
            new vscode.FoldingRange(startLine, endLine, kind && foldKinds[kind]),
        )
      );
    },
  };
}

export function selectionProvider(texts: ConfigTexts): vscode.SelectionRangeProvider {
  return {
    provideSelectionRanges: (document, positions) => {
      const config = texts.parsed(document);
      return (
        config &&
        positions.map((position) =>
          selectionRangesAt(config, document.offsetAt(position)).reduceRight<vscode.SelectionRange>(
            (parent, range) => new vscode.SelectionRange(toRange(range), parent),
            new vscode.SelectionRange(new vscode.Range(0, 0, document.lineCount, 0)),
          ),
        )
      );
    },
  };
}
