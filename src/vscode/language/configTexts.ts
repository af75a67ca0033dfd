import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { isAgentJetConfig } from '../../config/isAgentJetConfig.ts';
import { parseConfig, type ConfigDocument } from '../../config/parse.ts';
import { LineMap, type LinedText, type TextRange } from '../../config/text.ts';
import { languages } from '../ids.ts';

/** Nobody writes a config this long; what is longer is data, and is not looked at. */
const longestText = 1_000_000;

/** Any scheme: configs are explained and checked in untrusted and virtual workspaces too, from their text alone. */
export const configSelector: vscode.DocumentSelector = { language: languages.config };

interface Cached {
  readonly version: number;
  readonly text: LinedText | undefined;
  parsed: ConfigDocument | undefined;
}

/** The AgentJet configs among the open documents; each version of one is read and parsed once at most. */
export class ConfigTexts implements Disposable {
  readonly #cached = new WeakMap<vscode.TextDocument, Cached>();
  readonly #closed: vscode.Disposable;

  constructor() {
    this.#closed = vscode.workspace.onDidCloseTextDocument((document) => this.#cached.delete(document));
  }

  dispose(): void {
    this.#closed.dispose();
  }

  /** The text, not parsed; undefined for what is no AgentJet config. */
  textOf(document: vscode.TextDocument): LinedText | undefined {
    return this.#current(document).text;
  }

  parsed(document: vscode.TextDocument): ConfigDocument | undefined {
    const cached = this.#current(document);
    if (cached.text === undefined) return undefined;
    return (cached.parsed ??= parseConfig(cached.text.text));
  }

  #current(document: vscode.TextDocument): Cached {
    const known = this.#cached.get(document);
    if (known?.version === document.version) return known;
    const cached = { version: document.version, text: readText(document), parsed: undefined };
    this.#cached.set(document, cached);
    return cached;
  }
}

function readText(document: vscode.TextDocument): LinedText | undefined {
  const text = document.getText();
  if (text.length > longestText || !isAgentJetConfig(text)) return undefined;
  return { text, lines: new LineMap(text) };
}

export function toRange({ start, end }: TextRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
