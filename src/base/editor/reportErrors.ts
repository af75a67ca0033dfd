import * as vscode from 'vscode';
import { formatReport, toReport } from '../core/errors.ts';
import { commands } from '../core/ids.ts';

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
    void showError(formatReport(report, { codeLast: true }), remedyOf(report.code), log);
  }
}

/** Shows a message with a button, since VS Code truncates messages without buttons to one line. */
async function showError(
  text: string,
  remedy: Remedy | undefined,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  const buttons = remedy === undefined ? [showLog] : [remedy.title, showLog];
  const chosen = await vscode.window.showErrorMessage(text, ...buttons);
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
    default:
      return undefined;
  }
}
