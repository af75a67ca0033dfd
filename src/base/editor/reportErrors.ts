import * as vscode from 'vscode';
import { formatReport, toReport, type ErrorReport } from '../core/errors.ts';
import { commands } from '../core/ids.ts';
import { forEditor } from '../core/optionNames.ts';

/** Runs a command. If it rejects, logs the error with its stack and shows it. */
export async function reportingErrors(
  run: () => PromiseLike<unknown>,
  log: vscode.LogOutputChannel,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const report = toReport(error, 'vscode/unexpected');
    log.error(formatReport(report, { verbose: true }));
    void showError(report, remedyOf(report.code), log);
  }
}

/** Shows an error or warning of a debug session with the button of a command that fixes it, if there is one. */
export function offerRemedy(
  error: Pick<ErrorReport, 'code' | 'message'> & { readonly severity?: 'warning' },
  log: vscode.LogOutputChannel,
): void {
  const remedy = remedyOf(error.code);
  const show =
    error.severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showErrorMessage;
  if (remedy !== undefined) void showError(error, remedy, log, show);
}

/** Shows a message with a button, since VS Code truncates messages without buttons to one line. */
async function showError(
  report: ErrorReport,
  remedy: Remedy | undefined,
  log: vscode.LogOutputChannel,
  show: (text: string, ...buttons: string[]) => Thenable<string | undefined> = vscode.window.showErrorMessage,
): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  const buttons = remedy === undefined ? [showLog] : [remedy.title, showLog];
  const text = forEditor(formatReport(report, { codeLast: true }));
  const chosen = await show(text, ...buttons);
  if (chosen === showLog) log.show();
  else if (chosen !== undefined && remedy !== undefined) await vscode.commands.executeCommand(remedy.command);
}

/** A command that fixes an error. */
interface Remedy {
  readonly title: string;
  readonly command: string;
}

function remedyOf(code: string): Remedy | undefined {
  switch (code) {
    case 'hosts/no-token':
      return { title: vscode.l10n.t('Enter Token'), command: commands.setHostToken };
    case 'project/no-workflow':
      return { title: vscode.l10n.t('Open Example'), command: commands.openExample };
    case 'model/unauthorized':
      return { title: vscode.l10n.t('Set API Key'), command: commands.setApiKey };
    case 'model/unreachable':
    case 'model/not-found':
    case 'model/redirected':
      return { title: vscode.l10n.t('Choose Model'), command: commands.chooseModel };
    case 'python/missing-requirements':
      return { title: vscode.l10n.t('Install Packages'), command: commands.installPackages };
    default:
      return undefined;
  }
}
