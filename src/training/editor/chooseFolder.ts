import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { trainingFiles } from '../../backbone/core/trainer/trainerPorts.ts';

interface FolderItem extends vscode.QuickPickItem {
  /** Absent: the item that opens a file dialog. */
  readonly folder?: string;
}

/**
 * Resolves to the folder of a row of the Runs view or of a menu, or to one that the user chooses. Undefined if the user
 * chooses none. Rejects in an untrusted workspace.
 *
 * @param isShown returns true for the folders to leave out
 */
export async function chooseFolder(
  argument: unknown,
  isShown: (folder: string) => boolean = () => false,
): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) throw untrusted();
  if (argument instanceof vscode.Uri) return folderOf(argument.fsPath);
  const row = (argument ?? {}) as { readonly kind?: unknown; readonly path?: unknown };
  if (row.kind === 'training' && typeof row.path === 'string') return row.path;
  const found = await vscode.workspace.findFiles(`**/${trainingFiles.state}`, '**/node_modules/**');
  const folders = found.map(({ fsPath }) => path.dirname(fsPath)).filter((folder) => !isShown(folder));
  const items: FolderItem[] = [
    ...folders.map((folder) => ({
      label: path.basename(folder),
      description: path.dirname(vscode.workspace.asRelativePath(folder)),
      folder,
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t('Browse…'), iconPath: new vscode.ThemeIcon('folder-opened'), alwaysShow: true },
  ];
  const placeHolder = vscode.l10n.t('Select a training run of this machine');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
  return chosen && (chosen.folder ?? browse(placeHolder));
}

async function browse(title: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title });
  return chosen?.[0]?.fsPath;
}

function folderOf(file: string): string {
  return path.basename(file) === trainingFiles.state ? path.dirname(file) : file;
}

function untrusted(): CodedError {
  return new CodedError({
    code: 'training/untrusted',
    message: vscode.l10n.t('AgentJet reads trainings only in a trusted workspace.'),
    hint: vscode.l10n.t('Trust the workspace first ("Workspaces: Manage Workspace Trust").'),
  });
}
