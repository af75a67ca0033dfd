import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import { commands, languages, effectiveScheme } from '../../../base/core/ids.ts';
import type { ConfigContexts } from '../language/configContexts.ts';
import type { WorkspaceConfigs } from '../language/workspaceConfigs.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { compareWith, type ConfigOfLastRun } from './compareWith.ts';
import { EffectiveDocuments } from './effectiveDocuments.ts';
import { showEffective } from './showEffective.ts';
import { originText, locationsOf } from '../../core/effective/origins.ts';
import { locateConfig } from '../language/workspaceFs.ts';
import { readEffectiveUri } from './effectiveUri.ts';

const effectiveSelector: vscode.DocumentSelector = {
  scheme: effectiveScheme,
  language: languages.config,
};

/** From a value to where it was written. */
function originDefinitions(documents: EffectiveDocuments): vscode.DefinitionProvider {
  return {
    provideDefinition: ({ uri }, { line }) => {
      const view = readEffectiveUri(uri);
      const shown = documents.lastText(uri)?.origins.get(line);
      if (view === undefined || shown === undefined) return [];
      const { fs } = locateConfig(view.as ?? view.source);
      return locationsOf(shown.origin).map((place) => {
        const position = new vscode.Position((place.line ?? 1) - 1, (place.column ?? 1) - 1);
        return new vscode.Location(fs.uri(place.file), position);
      });
    },
  };
}

/** Shows the path of a value and its origin. */
function originHovers(documents: EffectiveDocuments): vscode.HoverProvider {
  return {
    provideHover: ({ uri }, { line }) => {
      const view = readEffectiveUri(uri);
      const shown = documents.lastText(uri)?.origins.get(line);
      if (view === undefined || shown === undefined) return undefined;
      const { cwd } = locateConfig(view.as ?? view.source);
      const { origin, path } = shown;
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

export interface EffectiveParts {
  readonly contexts: ConfigContexts;
  readonly configs: WorkspaceConfigs;
  readonly configOfLastRun: ConfigOfLastRun;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the read-only documents with effective configs, and their commands. */
export function registerEffective({
  contexts,
  configs,
  configOfLastRun,
  clock,
  log,
}: EffectiveParts): Disposable {
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
  register(commands.compareConfig, (given) => compareWith(given, { documents, configs, configOfLastRun }));
  return store;
}
