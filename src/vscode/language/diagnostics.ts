import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../base/ports.ts';
import { diagnoseStepwise } from '../../config/diagnose.ts';
import type { Finding } from '../../config/finding.ts';
import { collectInSlices } from '../../config/slices.ts';
import { configSelector, toRange, type ConfigTexts } from './configTexts.ts';

export const diagnosticSource = 'AgentJet';

/** Typing settles before the text is looked at again. */
const settleMilliseconds = 300;

/** Keeps the findings of open configs up to date. A keystroke itself costs no more than starting a timer. */
export function registerDiagnostics(texts: ConfigTexts, clock: Clock): Disposable {
  const store = new DisposableStore();
  const collection = store.add(vscode.languages.createDiagnosticCollection('agentjet'));
  const pending = new Map<vscode.TextDocument, Disposable>();
  const forget = (document: vscode.TextDocument): void => {
    pending.get(document)?.dispose();
    pending.delete(document);
  };
  const schedule = (document: vscode.TextDocument, milliseconds: number): void => {
    forget(document);
    if (!isChecked(document)) return;
    const run = (): void => {
      pending.delete(document);
      void publish(document, { texts, clock, collection });
    };
    pending.set(document, clock.after(milliseconds, run));
  };
  store.defer(() => [...pending.keys()].forEach(forget));
  store.add(vscode.workspace.onDidOpenTextDocument((document) => schedule(document, 0)));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => schedule(document, settleMilliseconds)),
  );
  store.add(
    vscode.workspace.onDidCloseTextDocument((document) => {
      forget(document);
      collection.delete(document.uri);
    }),
  );
  for (const document of vscode.workspace.textDocuments) schedule(document, 0);
  return store;
}

/** Older versions of a file, as source control shows them, are not there to be mended. */
function isChecked(document: vscode.TextDocument): boolean {
  return vscode.languages.match(configSelector, document) > 0 && document.uri.scheme !== 'git';
}

interface Publishing {
  readonly texts: ConfigTexts;
  readonly clock: Clock;
  readonly collection: vscode.DiagnosticCollection;
}

async function publish(
  document: vscode.TextDocument,
  { texts, clock, collection }: Publishing,
): Promise<void> {
  const { version } = document;
  const isCurrent = (): boolean => document.version === version && !document.isClosed;
  const config = texts.parsed(document);
  const findings = config && (await collectInSlices(diagnoseStepwise(config), clock, isCurrent));
  if (isCurrent()) collection.set(document.uri, findings?.map(toDiagnostic));
}

const severities: Record<Finding['severity'], vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

function toDiagnostic({ range, message, severity, rule }: Finding): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(toRange(range), message, severities[severity]);
  diagnostic.source = diagnosticSource;
  diagnostic.code = rule;
  if (rule === 'deprecated-key') diagnostic.tags = [vscode.DiagnosticTag.Deprecated];
  if (rule === 'unused-key') diagnostic.tags = [vscode.DiagnosticTag.Unnecessary];
  return diagnostic;
}
