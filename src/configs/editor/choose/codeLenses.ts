import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { launchKey } from '../../core/dialect.ts';
import { scanUserWorkflows } from '../../core/code/userWorkflows.ts';
import { commands, languages, settings, settingsSection } from '../../../base/core/ids.ts';
import { codeLanguage, scripts, shortText } from './target.ts';

interface Anchor {
  readonly line: number;
  /** The workflow that the lenses launch; absent above a config or a script. */
  readonly workflow?: string;
}

/** "Debug" and "Run" above `ajet:`, the first key of a Trinity-RFT config, each workflow, each job and each call of `tune`. */
export function registerCodeLenses(): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.codeLens}`)) changed.fire();
    }),
  );
  const languageIds = [languages.config, ...languages.code];
  store.add(
    vscode.languages.registerCodeLensProvider(
      languageIds.map((language) => ({ language, scheme: 'file' })),
      { onDidChangeCodeLenses: changed.event, provideCodeLenses },
    ),
  );
  return store;
}

function provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
  if (!section.get<boolean>(settings.codeLens, true)) return [];
  return anchors(document).flatMap(({ line, workflow }) => {
    const range = new vscode.Range(line, 0, line, 0);
    const args = workflow === undefined ? [document.uri] : [document.uri, workflow];
    return [
      new vscode.CodeLens(range, {
        title: vscode.l10n.t('$(debug-alt) Debug'),
        command: commands.debug,
        arguments: args,
      }),
      new vscode.CodeLens(range, {
        title: vscode.l10n.t('$(play) Run'),
        command: commands.run,
        arguments: args,
      }),
    ];
  });
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
