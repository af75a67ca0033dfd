import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { topLevelKeys } from '../../core/dialect.ts';
import { commands, languages } from '../../../base/core/ids.ts';
import { registerLenses } from '../../../base/editor/lenses.ts';
import { configSelector, type ConfigText, type ConfigTexts } from './configTexts.ts';
import type { ConfigContexts } from './configContexts.ts';
import type { ConfigUses, UsedSite } from './configUses.ts';

const codeSelector: vscode.DocumentSelector = languages.code.map((language) => ({ language }));

/** From a class to the configs that name it: a lens above it, and among its references. */
export function registerUsedBy(uses: ConfigUses, contexts: ConfigContexts): Disposable {
  const store = new DisposableStore();
  const provide = async (document: vscode.TextDocument): Promise<vscode.CodeLens[]> => {
    contexts.follow();
    return (await uses.of(document.uri)).map((used) => toLens(document.uri, used));
  };
  store.add(registerLenses(codeSelector, provide, [contexts.onStale]));
  const references: vscode.ReferenceProvider = {
    provideReferences: async (document, position) => {
      const word = document.getWordRangeAtPosition(position);
      if (word === undefined) return [];
      contexts.follow();
      const found = await uses.of(document.uri);
      return found.filter(({ site }) => positionOf(site).isEqual(word.start)).flatMap((used) => used.uses);
    },
  };
  store.add(vscode.languages.registerReferenceProvider(codeSelector, references));
  return store;
}

function toLens(uri: vscode.Uri, { site, uses }: UsedSite): vscode.CodeLens {
  const position = positionOf(site);
  const files = new Set(uses.map((use) => use.uri.toString())).size;
  return new vscode.CodeLens(new vscode.Range(position, position), {
    title:
      files === 1
        ? vscode.l10n.t('$(references) used by 1 config')
        : vscode.l10n.t('$(references) used by {0} configs', files),
    tooltip: vscode.l10n.t('Show the configs that name it'),
    command: 'editor.action.showReferences',
    arguments: [uri, position, [...uses]],
  });
}

function positionOf({ line, column }: UsedSite['site']): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}

export function registerConfigLenses(texts: ConfigTexts): Disposable {
  return registerLenses(configSelector, (document) => {
    const config = texts.textOf(document);
    if (config === undefined) return [];
    const position = document.positionAt(beginOf(config));
    const command = {
      title: vscode.l10n.t('$(open-preview) Show Effective Config'),
      command: commands.showEffectiveConfig,
      arguments: [document.uri],
    };
    return [new vscode.CodeLens(new vscode.Range(position, position), command)];
  });
}

/** The dialect's own section; where keys stand at the top, the first of them. */
function beginOf({ text: { text }, dialect: { section } }: ConfigText): number {
  for (const { name, offset } of topLevelKeys(text)) {
    if (section === undefined || name === section) return offset;
  }
  return 0;
}
