import * as vscode from 'vscode';
import type { LocatedFinding } from '../core/dispatch/located.ts';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
} as const;

/** Shows the findings of a host at the keys of a config, until the config is edited. */
export class PreflightNotes implements Disposable {
  readonly #store = new DisposableStore();
  readonly #notes = this.#store.add(vscode.languages.createDiagnosticCollection('agentjet-host'));

  constructor() {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#notes.delete(document.uri);
      }),
    );
  }

  set(config: vscode.Uri, host: string, findings: readonly LocatedFinding[]): void {
    this.#notes.set(
      config,
      findings.map((finding) => {
        const { range, message, hint, severity, id } = finding;
        const place =
          range === undefined
            ? new vscode.Range(0, 0, 0, 0)
            : new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
        const text = hint === undefined ? message : `${message}\n${hint}`;
        const note = new vscode.Diagnostic(place, text, severities[severity]);
        note.source = `AgentJet (${host})`;
        note.code = id;
        return note;
      }),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }
}
