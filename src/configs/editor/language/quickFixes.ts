import * as vscode from 'vscode';
import { commands, settings, settingsSection } from '../../../base/core/ids.ts';
import { isRule, type FileWrite, type Finding, type Fix, type RuleId } from '../../core/finding.ts';
import { fixesFor } from '../../core/rules/suppress.ts';
import type { LinedText } from '../../core/text.ts';
import { exists } from '../../../base/editor/exists.ts';
import type { CheckResult, ConfigChecks } from './configChecks.ts';
import { toRange } from './configTexts.ts';
import { diagnosticSource } from './diagnostics.ts';
import { locateConfig } from './workspaceFs.ts';

export const quickFixKinds = [vscode.CodeActionKind.QuickFix];

export function quickFixProvider(checks: ConfigChecks): vscode.CodeActionProvider {
  return {
    provideCodeActions: async (document, _range, { diagnostics }) => {
      const ours = diagnostics.filter((diagnostic) => diagnostic.source === diagnosticSource);
      if (ours.length === 0) return [];
      const { version } = document;
      const checked = await checks.of(document);
      if (checked === undefined || document.version !== version) return [];
      const actions = ours.map((diagnostic) => actionsFor(diagnostic, checked, document));
      return (await Promise.all(actions)).flat();
    },
  };
}

async function actionsFor(
  diagnostic: vscode.Diagnostic,
  { context, findings }: CheckResult,
  document: vscode.TextDocument,
): Promise<vscode.CodeAction[]> {
  const found = findings.find((finding) => isSame(finding, diagnostic));
  if (found === undefined) return [];
  const actions = await Promise.all(
    fixesFor(context.document, found).map(async (fix, index) => {
      const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.isPreferred = index === 0 && found.fixes.length > 0;
      action.edit = await toWorkspaceEdit(fix, document.uri, context.document);
      return action;
    }),
  );
  return [...actions, switchOff(found.rule, diagnostic, document.uri)];
}

function switchOff(rule: RuleId, diagnostic: vscode.Diagnostic, uri: vscode.Uri): vscode.CodeAction {
  const title = vscode.l10n.t('Switch off `{0}` in the settings', rule);
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.command = { title, command: commands.switchRuleOff, arguments: [rule, uri] };
  return action;
}

/** Turns a rule off in the settings of the workspace folder, or of the user for a file outside. */
export async function switchRuleOff(rule: unknown, uri: unknown): Promise<void> {
  if (typeof rule !== 'string' || !isRule(rule) || !(uri instanceof vscode.Uri)) return;
  const isInWorkspace = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  const target = isInWorkspace
    ? vscode.ConfigurationTarget.WorkspaceFolder
    : vscode.ConfigurationTarget.Global;
  const section = vscode.workspace.getConfiguration(settingsSection, uri);
  const known = section.inspect<Readonly<Record<string, unknown>>>(settings.checkRules);
  const own = isInWorkspace ? known?.workspaceFolderValue : known?.globalValue;
  await section.update(settings.checkRules, { ...own, [rule]: 'off' }, target);
}

/** Returns true if a diagnostic is the same finding. A diagnostic of an older version gets no fixes. */
function isSame(finding: Finding, { code, message, range }: vscode.Diagnostic): boolean {
  const rule = typeof code === 'object' ? code.value : code;
  return finding.rule === rule && finding.message === message && toRange(finding.range).isEqual(range);
}

async function toWorkspaceEdit(
  { edits, writes = [] }: Fix,
  uri: vscode.Uri,
  config: LinedText,
): Promise<vscode.WorkspaceEdit> {
  const { fs } = locateConfig(uri);
  const edit = new vscode.WorkspaceEdit();
  for (const { span, newText } of edits) edit.replace(uri, toRange(config.lines.range(span)), newText);
  for (const write of writes) await addWrite(edit, write, fs.uri(write.file));
  return edit;
}

/** Behind what the file has, from the start of a line. */
async function addWrite(edit: vscode.WorkspaceEdit, { text }: FileWrite, uri: vscode.Uri): Promise<void> {
  if (!(await exists(uri))) {
    edit.createFile(uri, { contents: new TextEncoder().encode(text) });
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.insert(uri, end, end.character === 0 ? text : `\n${text}`);
}
