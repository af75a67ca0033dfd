import * as vscode from 'vscode';
import type { Disposable } from '../../../base/core/disposable.ts';
import { dialectOf, type Dialect } from '../../core/dialect.ts';
import { parseConfig, type ConfigDocument } from '../../core/parse.ts';
import { LineMap, type LinedText, type Span, type TextRange } from '../../core/text.ts';
import { languages, readOnlyConfigSchemes } from '../../../base/core/ids.ts';
import { shortText } from '../choose/target.ts';

/** Any scheme: configs are explained and checked in untrusted and virtual workspaces too. */
export const configSelector: vscode.DocumentSelector = { language: languages.config };

export interface ConfigText {
  readonly text: LinedText;
  readonly dialect: Dialect;
}

interface Cached {
  readonly version: number;
  readonly config: ConfigText | undefined;
  parsed: ConfigDocument | undefined;
}

/** The configs among the open documents. Each version is read and parsed at most once. */
export class ConfigTexts implements Disposable {
  readonly #cached = new WeakMap<vscode.TextDocument, Cached>();
  readonly #closed: vscode.Disposable;

  constructor() {
    this.#closed = vscode.workspace.onDidCloseTextDocument((document) => this.#cached.delete(document));
  }

  dispose(): void {
    this.#closed.dispose();
  }

  /** Returns the unparsed text; undefined for other files. */
  textOf(document: vscode.TextDocument): ConfigText | undefined {
    return this.#current(document).config;
  }

  parsed(document: vscode.TextDocument): ConfigDocument | undefined {
    const cached = this.#current(document);
    if (cached.config === undefined) return undefined;
    return (cached.parsed ??= parseConfig(cached.config.text.text));
  }

  #current(document: vscode.TextDocument): Cached {
    const known = this.#cached.get(document);
    if (known?.version === document.version) return known;
    const cached = { version: document.version, config: readText(document), parsed: undefined };
    this.#cached.set(document, cached);
    return cached;
  }
}

function readText(document: vscode.TextDocument): ConfigText | undefined {
  if (document.languageId !== languages.config) return undefined;
  if (readOnlyConfigSchemes.includes(document.uri.scheme)) return undefined;
  const text = shortText(document);
  const dialect = dialectOf(text);
  return dialect && { text: linedOnDemand(text), dialect };
}

/** Creates the line table at first use, because few unparsed texts need it. */
function linedOnDemand(text: string): LinedText {
  let lines: LineMap | undefined;
  return {
    text,
    get lines() {
      return (lines ??= new LineMap(text));
    },
  };
}

export function toRange({ start, end }: TextRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

export function spanToRange({ lines }: Pick<LinedText, 'lines'>, span: Span): vscode.Range {
  return toRange(lines.range(span));
}
