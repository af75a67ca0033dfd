import path from 'node:path';
import * as vscode from 'vscode';
import { withCancellableProgress, type CancellableProgress } from '../../base/editor/progress.ts';

interface FetchTexts {
  /** The title of the dialog that asks for a folder. */
  readonly choose: string;
  readonly progress: string;
  /** Shown if the user cancels. */
  readonly cancelled?: string;
}

/**
 * Asks for a folder, and fetches a checkpoint into a new folder in it, with progress.
 *
 * @param name of the new folder
 */
export async function fetchInto(
  name: string,
  texts: FetchTexts,
  fetch: (target: string, shown: FetchProgress) => Promise<void>,
): Promise<void> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosenFolders = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    openLabel: vscode.l10n.t('Fetch Here'),
    title: texts.choose,
    ...(defaultUri && { defaultUri }),
  });
  const folder = chosenFolders?.[0];
  if (folder === undefined) return;
  const target = path.join(folder.fsPath, name);
  const isHere = await withCancellableProgress(texts.progress, async ({ cancellation, report }) => {
    const onProgress: FetchProgress['onProgress'] = ({ bytes, total }) => {
      if (total === undefined) return;
      const share = total === 0 ? 1 : bytes / total;
      report({ message: `${Math.floor(100 * share)} %`, share });
    };
    await fetch(target, { cancellation, onProgress });
    return true;
  });
  if (isHere === undefined) {
    if (texts.cancelled !== undefined) void vscode.window.showInformationMessage(texts.cancelled);
    return;
  }
  const open = vscode.l10n.t('Reveal in File Manager');
  const text = vscode.l10n.t('The checkpoint is in {0}.', target);
  const chosen = await vscode.window.showInformationMessage(text, open);
  if (chosen === open) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(target));
}

interface FetchProgress extends Pick<CancellableProgress, 'cancellation'> {
  readonly onProgress: (progress: { readonly bytes: number; readonly total: number | undefined }) => void;
}
