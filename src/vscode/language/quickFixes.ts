import * as vscode from 'vscode';
import { diagnose } from '../../config/diagnose.ts';
import type { Finding, Fix } from '../../config/finding.ts';
import type { LinedText } from '../../config/text.ts';
import { toRange, type ConfigTexts } from './configTexts.ts';
import { diagnosticSource } from './diagnostics.ts';

export const quickFixKinds = [vscode.CodeActionKind.QuickFix];

export function quickFixProvider(texts: ConfigTexts): vscode.CodeActionProvider {
  return {
    provideCodeActions: (document, _range, { diagnostics }) => {
      const ours = diagnostics.filter((diagnostic) => diagnostic.source === diagnosticSource);
      const config = ours.length > 0 ? texts.parsed(document) : undefined;
      if (config === undefined) return [];
      const findings = diagnose(config);
      return ours.flatMap((diagnostic) => {
        const found = findings.find((finding) => isSame(finding, diagnostic));
        return (found?.fixes ?? []).map((fix, index) =>
          toAction(fix, index === 0, { document, config, diagnostic }),
        );
      });
    },
  };
}

/** What was shown may be of an older version: then there is nothing to offer until it is shown anew. */
function isSame(finding: Finding, diagnostic: vscode.Diagnostic): boolean {
  const sameRule = finding.rule === diagnostic.code && finding.message === diagnostic.message;
  return sameRule && toRange(finding.range).isEqual(diagnostic.range);
}

interface Place {
  readonly document: vscode.TextDocument;
  readonly config: LinedText;
  readonly diagnostic: vscode.Diagnostic;
}

function toAction(fix: Fix, isBest: boolean, { document, config, diagnostic }: Place): vscode.CodeAction {
  const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.isPreferred = isBest;
  action.edit = new vscode.WorkspaceEdit();
  for (const { span, newText } of fix.edits) {
    action.edit.replace(document.uri, toRange(config.lines.range(span)), newText);
  }
  return action;
}
