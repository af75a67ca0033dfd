import * as vscode from 'vscode';
import { originText, locationsOf } from '../../core/effective/origins.ts';
import { languages, effectiveScheme } from '../../../base/core/ids.ts';
import { locateConfig } from '../language/workspaceFs.ts';
import type { EffectiveDocuments } from './effectiveDocuments.ts';
import { readEffectiveUri } from './effectiveUri.ts';

export const effectiveSelector: vscode.DocumentSelector = {
  scheme: effectiveScheme,
  language: languages.config,
};

/** From a value to where it was written. */
export function originDefinitions(documents: EffectiveDocuments): vscode.DefinitionProvider {
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
export function originHovers(documents: EffectiveDocuments): vscode.HoverProvider {
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
