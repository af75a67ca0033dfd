import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { commands, languages, effectiveScheme } from '../../../base/core/ids.ts';
import type { ConfigContexts } from '../language/configContexts.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { compareWith, type CompareParts } from './compareWith.ts';
import { EffectiveDocuments } from './effectiveDocuments.ts';
import { originText, locationsOf } from '../../core/effective/origins.ts';
import { locateConfig } from '../language/workspaceFs.ts';
import { activeConfig, effectiveUri, readEffectiveUri, type EffectiveTarget } from './effectiveUri.ts';

const effectiveSelector: vscode.DocumentSelector = {
  scheme: effectiveScheme,
  language: languages.config,
};

/** The value on a line of an effective config, and where its config is. */
function shownAt(documents: EffectiveDocuments, uri: vscode.Uri, line: number) {
  const view = readEffectiveUri(uri);
  const shown = documents.lastText(uri)?.origins.get(line);
  return view && shown && { ...shown, ...locateConfig(view.as ?? view.source) };
}

function originDefinitions(documents: EffectiveDocuments): vscode.DefinitionProvider {
  return {
    provideDefinition: ({ uri }, { line }) => {
      const shown = shownAt(documents, uri, line);
      return shown && locationsOf(shown.origin).map((place) => shown.fs.location(place));
    },
  };
}

function originHovers(documents: EffectiveDocuments): vscode.HoverProvider {
  return {
    provideHover: ({ uri }, { line }) => {
      const shown = shownAt(documents, uri, line);
      if (shown === undefined) return undefined;
      const { origin, path, cwd } = shown;
      const markdown = new vscode.MarkdownString(`\`${path.join('.')}\`\n\n`);
      markdown.appendText(vscode.l10n.t('From {0}', originText(origin, cwd)));
      if (origin.kind === 'rule') {
        for (const input of origin.inputs) {
          markdown.appendMarkdown(`\n\n- \`${input.path}\`, `);
          markdown.appendText(originText(input.value.origin, cwd));
        }
      }
      return new vscode.Hover(markdown);
    },
  };
}

export interface EffectiveParts extends Omit<CompareParts, 'documents'> {
  readonly contexts: ConfigContexts;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

async function showEffective(given: unknown, target: EffectiveTarget): Promise<void> {
  const uri = effectiveUri({ source: activeConfig(given), target, shows: 'origins' });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: false,
  });
}

export function registerEffective(parts: EffectiveParts): Disposable {
  const { contexts, clock, log } = parts;
  const store = new DisposableStore();
  const documents = store.add(new EffectiveDocuments(contexts, clock));
  const { languages } = vscode;
  store.add(languages.registerDefinitionProvider(effectiveSelector, originDefinitions(documents)));
  store.add(languages.registerHoverProvider(effectiveSelector, originHovers(documents)));
  const register = (id: string, run: (given: unknown) => Promise<void>): void => {
    store.add(
      vscode.commands.registerCommand(id, (given: unknown) => reportingErrors(() => run(given), log)),
    );
  };
  register(commands.showEffectiveConfig, (given) => showEffective(given, 'own'));
  register(commands.showTrinityConfig, (given) => showEffective(given, 'trinity'));
  register(commands.showVerlConfig, (given) => showEffective(given, 'verl'));
  register(commands.compareConfig, (given) => compareWith(given, { documents, ...parts }));
  return store;
}
