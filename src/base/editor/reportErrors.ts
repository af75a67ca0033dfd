import * as vscode from 'vscode';
import { formatReport, toReport } from '../core/errors.ts';

/** What a command rejects with is logged whole and shown. */
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

/** A message with a button is shown whole; without one the editor cuts it off after the first line. */
async function showError(text: string, log: vscode.LogOutputChannel): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(text, showLog)) === showLog) log.show();
}
