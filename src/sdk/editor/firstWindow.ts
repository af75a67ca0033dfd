/** The first window of a new project or example, and the command that shows where to set a breakpoint. */
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { takeFirstWindow } from '../node/project/firstWindow.ts';

const walkthrough = 'agentjet.agentjet#agentjet.start';

/** Shows the workflow, its README and, for an example, the walkthrough, if a folder of this window is new. */
export async function showNewProject(): Promise<void> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== 'file') continue;
    const kind = await takeFirstWindow(uri.fsPath);
    if (kind === undefined) continue;
    const workflow = await findWorkflow(uri);
    if (workflow) await showBreakpointPlace(workflow);
    await showReadme(vscode.Uri.joinPath(uri, 'README.md'));
    if (kind !== 'example') return;
    await openWalkthrough(true);
    // The walkthrough has taken the focus.
    if (workflow) await showBreakpointPlace(workflow);
    return;
  }
}

/** @param toSide in the editors next to the active ones */
export async function openWalkthrough(toSide: boolean): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, toSide);
}

/** Shows the workflow of this window at a good place for a first breakpoint. */
export async function showWorkflow(): Promise<void> {
  const workflow = await findWorkflow();
  if (workflow === undefined) throw noWorkflow();
  await showBreakpointPlace(workflow);
}

async function findWorkflow(folder?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const name = 'workflow.{ts,py}';
  const pattern = folder ? new vscode.RelativePattern(folder, name) : `**/${name}`;
  const found = await vscode.workspace.findFiles(pattern, '{**/node_modules/**,**/saved_experiments/**}', 1);
  return found[0];
}

/** Puts the cursor below the comment about a first breakpoint, or else below the head of `execute`. */
async function showBreakpointPlace(workflow: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(workflow);
  const lines = document.getText().split('\n');
  const above = [/first breakpoint/, /\bexecute\(/]
    .map((pattern) => lines.findIndex((line) => pattern.test(line)))
    .find((index) => index >= 0);
  const line = above === undefined ? 0 : above + 1;
  const selection = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  const place = new vscode.Range(selection.start, selection.start);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.One,
    preview: false,
    selection: place,
  });
}

async function showReadme(readme: vscode.Uri): Promise<void> {
  const exists = await vscode.workspace.fs.stat(readme).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  await vscode.commands.executeCommand('vscode.openWith', readme, 'vscode.markdown.preview.editor', place);
}

function noWorkflow(): CodedError {
  return new CodedError({
    code: 'project/no-workflow',
    message: vscode.l10n.t('This window has no file workflow.ts or workflow.py.'),
    hint: vscode.l10n.t('Run AgentJet: Open Example, or open the folder of your project.'),
  });
}
