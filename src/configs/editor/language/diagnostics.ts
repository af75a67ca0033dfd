import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { Finding } from '../../core/finding.ts';
import { settings, settingsSection, readOnlyConfigSchemes } from '../../../base/core/ids.ts';
import type { ConfigChecks } from './configChecks.ts';
import type { ConfigContexts } from './configContexts.ts';
import { configSelector, toRange } from './configTexts.ts';
import { locateConfig, type WorkspaceFs } from './workspaceFs.ts';
import type { Manual } from './manual.ts';

export const diagnosticSource = 'AgentJet';

/** Typing settles before the text is looked at again. */
const settleMilliseconds = 300;

export interface DiagnosticsParts {
  readonly contexts: ConfigContexts;
  readonly checks: ConfigChecks;
  readonly manual: Manual;
  readonly clock: Clock;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
}

/** Keeps the findings of open configs up to date. A keystroke itself costs no more than starting a timer. */
export function registerDiagnostics(parts: DiagnosticsParts): Disposable {
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
      publish(document, collection, parts).catch((error: unknown) => {
        parts.log.error(`${document.uri.fsPath} cannot be checked: ${String(error)}`);
      });
    };
    pending.set(document, parts.clock.after(milliseconds, run));
  };
  const scheduleAll = (except?: vscode.Uri): void => {
    const others = vscode.workspace.textDocuments.filter(({ uri }) => uri.toString() !== except?.toString());
    for (const document of others) schedule(document, 0);
  };
  store.defer(() => [...pending.keys()].forEach(forget));
  store.add(vscode.workspace.onDidOpenTextDocument((document) => schedule(document, 0)));
  store.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => schedule(document, settleMilliseconds)),
  );
  store.add(parts.contexts.onStale(scheduleAll));
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      const ours = [settings.checkEnabled, settings.checkRules];
      if (!ours.some((name) => change.affectsConfiguration(`${settingsSection}.${name}`))) return;
      parts.checks.forget();
      scheduleAll();
    }),
  );
  store.add(
    vscode.workspace.onDidCloseTextDocument((document) => {
      forget(document);
      collection.delete(document.uri);
    }),
  );
  scheduleAll();
  return store;
}

/** Returns false for old versions of a file in source control, which the user cannot fix. */
function isChecked(document: vscode.TextDocument): boolean {
  const readOnly = ['git', ...readOnlyConfigSchemes].includes(document.uri.scheme);
  return !readOnly && vscode.languages.match(configSelector, document) > 0;
}

async function publish(
  document: vscode.TextDocument,
  collection: vscode.DiagnosticCollection,
  { checks, manual }: DiagnosticsParts,
): Promise<void> {
  const { version } = document;
  const [checked, explanation] = await Promise.all([checks.of(document), manual.links()]);
  if (document.version !== version || document.isClosed) return;
  const { fs } = locateConfig(document.uri);
  collection.set(
    document.uri,
    checked?.findings.map((found) => toDiagnostic(found, fs, explanation)),
  );
}

export const severities: Readonly<Record<Finding['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

const tags: Record<NonNullable<Finding['tag']>, vscode.DiagnosticTag> = {
  deprecated: vscode.DiagnosticTag.Deprecated,
  unnecessary: vscode.DiagnosticTag.Unnecessary,
};

function toDiagnostic(
  found: Finding,
  fs: WorkspaceFs,
  explanation: (rule: string) => vscode.Uri,
): vscode.Diagnostic {
  const { range, message, severity, rule, tag, related = [] } = found;
  const diagnostic = new vscode.Diagnostic(toRange(range), message, severities[severity]);
  diagnostic.source = diagnosticSource;
  diagnostic.code = { value: rule, target: explanation(rule) };
  if (tag !== undefined) diagnostic.tags = [tags[tag]];
  if (related.length > 0) {
    diagnostic.relatedInformation = related.map(
      ({ location, message: text }) => new vscode.DiagnosticRelatedInformation(fs.location(location), text),
    );
  }
  return diagnostic;
}
