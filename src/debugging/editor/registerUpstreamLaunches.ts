import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import { upstreamLaunches, type UpstreamLaunch } from '../node/upstreamLaunches.ts';
import { diagnosticSource } from '../../configs/editor/language/diagnostics.ts';

const selector: vscode.DocumentSelector = [
  { language: 'jsonc', pattern: '**/.vscode/launch.json' },
  { language: 'jsonc', pattern: '**/*.code-workspace' },
];

const code = 'upstream-launcher';

/** Milliseconds without typing before the text is checked again. */
const settleMilliseconds = 300;

/** Marks the configurations in launch.json that run the upstream launcher, and offers to convert them. */
export function registerUpstreamLaunches(clock: Clock): Disposable {
  const store = new DisposableStore();
  const collection = store.add(vscode.languages.createDiagnosticCollection('agentjet-launch'));
  const pending = new Map<string, Disposable>();
  const look = (document: vscode.TextDocument, milliseconds: number): void => {
    if (vscode.languages.match(selector, document) === 0) return;
    const key = document.uri.toString();
    pending.get(key)?.dispose();
    pending.set(
      key,
      clock.after(milliseconds, () => {
        pending.delete(key);
        if (!document.isClosed) collection.set(document.uri, diagnosticsOf(document));
      }),
    );
  };
  store.defer(() => pending.forEach((one) => one.dispose()));
  store.add(vscode.workspace.onDidOpenTextDocument((document) => look(document, 0)));
  store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => look(document, settleMilliseconds)));
  store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => collection.delete(uri)));
  const provider = { provideCodeActions };
  const providedCodeActionKinds = [vscode.CodeActionKind.QuickFix];
  store.add(vscode.languages.registerCodeActionsProvider(selector, provider, { providedCodeActionKinds }));
  for (const document of vscode.workspace.textDocuments) look(document, 0);
  return store;
}

function launchesOf(document: vscode.TextDocument): UpstreamLaunch[] {
  return upstreamLaunches(document.getText(), document.fileName.endsWith('.json') ? [] : ['launch']);
}

function diagnosticsOf(document: vscode.TextDocument): vscode.Diagnostic[] {
  return launchesOf(document).map((launch) => {
    const severity = vscode.DiagnosticSeverity.Information;
    const diagnostic = new vscode.Diagnostic(rangeOf(document, launch), messageOf(launch), severity);
    diagnostic.source = diagnosticSource;
    diagnostic.code = code;
    return diagnostic;
  });
}

function messageOf({ launcher, backbone, dropped }: UpstreamLaunch): string {
  const what =
    backbone === 'debug'
      ? vscode.l10n.t(
          '{0} needs a GPU and vLLM, even for its debug backbone. AgentJet can debug the same config on this machine.',
          launcher,
        )
      : vscode.l10n.t(
          '{0} trains on GPUs. AgentJet can debug the workflow of the same config on this machine.',
          launcher,
        );
  if (dropped.length === 0) return what;
  return `${what} ${vscode.l10n.t('It does so without {0}.', dropped.join(', '))}`;
}

/** Offers fixes only if the diagnostics match the current text. */
function provideCodeActions(
  document: vscode.TextDocument,
  _range: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const ours = diagnostics.filter((diagnostic) => diagnostic.code === code);
  if (ours.length === 0) return [];
  const launches = launchesOf(document);
  return ours.flatMap((diagnostic) => {
    const launch = launches.find((one) => rangeOf(document, one).isEqual(diagnostic.range));
    return launch === undefined ? [] : [actionFor(document, launch, diagnostic)];
  });
}

function actionFor(
  document: vscode.TextDocument,
  launch: UpstreamLaunch,
  diagnostic: vscode.Diagnostic,
): vscode.CodeAction {
  const title =
    launch.backbone === 'debug'
      ? vscode.l10n.t('Debug with AgentJet')
      : vscode.l10n.t('Add an AgentJet launch configuration');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  action.edit = new vscode.WorkspaceEdit();
  for (const edit of launch.edits) action.edit.replace(document.uri, rangeOf(document, edit), edit.content);
  return action;
}

function rangeOf(
  document: vscode.TextDocument,
  { offset, length }: { readonly offset: number; readonly length: number },
): vscode.Range {
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}
