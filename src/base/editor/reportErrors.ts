import * as vscode from 'vscode';
import { formatReport, toReport } from '../core/errors.ts';

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
    void showError(formatReport(report), log);
  }
}

/** Shows a message with a button, since VS Code truncates messages without buttons to one line. */
async function showError(text: string, log: vscode.LogOutputChannel): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(text, showLog)) === showLog) log.show();
}
