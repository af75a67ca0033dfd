import * as vscode from 'vscode';
import type { Disposable } from '../../../base/core/disposable.ts';
import { launchKey } from '../../core/dialect.ts';
import { scanUserWorkflows } from '../../core/code/userWorkflows.ts';
import { commands, languages } from '../../../base/core/ids.ts';
import { registerLenses } from '../../../base/editor/lenses.ts';
import { codeLanguage, scripts, shortText } from './target.ts';

interface Anchor {
  readonly line: number;
  /** The workflow that the lenses launch; absent above a config or a script. */
  readonly workflow?: string;
}

/** "Debug" and "Run" above `ajet:`, the first key of a Trinity-RFT config, each workflow, each job and each call of `tune`. */
export function registerCodeLenses(): Disposable {
  const languageIds = [languages.config, ...languages.code];
  return registerLenses(
    languageIds.map((language) => ({ language, scheme: 'file' })),
    (document) => anchors(document).flatMap((anchor) => lensesAt(anchor, document.uri)),
  );
}

function lensesAt({ line, workflow }: Anchor, uri: vscode.Uri): vscode.CodeLens[] {
  const range = new vscode.Range(line, 0, line, 0);
  const args = workflow === undefined ? [uri] : [uri, workflow];
  return [
    { title: vscode.l10n.t('$(debug-alt) Debug'), command: commands.debug, arguments: args },
    { title: vscode.l10n.t('$(play) Run'), command: commands.run, arguments: args },
  ].map((command) => new vscode.CodeLens(range, command));
}

function anchors(document: vscode.TextDocument): Anchor[] {
  const text = shortText(document);
  if (document.languageId !== languages.config) {
    const language = codeLanguage(document);
    return [
      ...scripts[language](text),
      ...scanUserWorkflows(text, language).map(({ line, name, registered }) => ({
        line,
        workflow: registered ?? name,
      })),
    ];
  }
  const key = launchKey(text);
  return key === undefined ? [] : [{ line: document.positionAt(key).line }];
}
