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

export function findingTexts(findings: readonly LocatedFinding[]): string[] {
  return findings.map(({ message, severity }) => `${severity === 'info' ? '' : '⚠ '}${message}`);
}

export interface StartQuestion {
  /** The name of the run or config. */
  readonly subject: string;
  readonly host: string;
  readonly question: string;
  readonly detail: readonly string[];
  readonly start: string;
  readonly findings: readonly LocatedFinding[];
  /** The config that shows the findings; undefined if it is not on this machine. */
  readonly config: vscode.Uri | undefined;
}

/** Asks whether to start a run. If there are errors, it says so instead, and the user can start the run anyway. */
export async function confirmStart(asked: StartQuestion): Promise<boolean> {
  const { subject, host, start, findings, config } = asked;
  const anyway = vscode.l10n.t('Start Anyway');
  const show = vscode.l10n.t('Show Problems');
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const question = hasErrors ? vscode.l10n.t('{0} cannot be trained on {1}.', subject, host) : asked.question;
  const showButton = findings.length > 0 && config !== undefined ? [show] : [];
  const buttons = hasErrors ? [...showButton, anyway] : [start, ...showButton];
  const detail = asked.detail.join('\n');
  const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, ...buttons);
  if (chosen === show && config !== undefined) {
    await vscode.window.showTextDocument(config);
    await vscode.commands.executeCommand('workbench.actions.view.problems');
  }
  return chosen === start || chosen === anyway;
}
