import * as vscode from 'vscode';
import { CodedError } from '../../../base/core/errors.ts';

interface Repository {
  show(ref: string, path: string): Promise<string>;
}

/** The used part of the API of the Git extension. */
interface GitApi {
  getRepository(uri: vscode.Uri): Repository | null;
  openRepository(folder: vscode.Uri): Promise<Repository | null>;
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
}

/** The file as it was last committed. Rejects with a CodedError where there is no such version. */
export async function headOf(file: vscode.Uri): Promise<vscode.Uri> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  const api = await activeApi(extension);
  if (api === undefined) {
    throw noHead(
      file,
      vscode.l10n.t('The Git extension is disabled.'),
      vscode.l10n.t('Enable the Git extension and the setting `git.enabled`.'),
    );
  }
  // Git's extension looks for repositories in its own time: while a window starts, and some time after `git init`.
  const repository =
    api.getRepository(file) ?? (await api.openRepository(vscode.Uri.joinPath(file, '..')).catch(() => null));
  if (repository === null) {
    throw noHead(
      file,
      vscode.l10n.t('It is not in an open Git repository.'),
      vscode.l10n.t('Open the folder of its repository.'),
    );
  }
  try {
    await repository.show('HEAD', file.fsPath);
  } catch {
    throw noHead(file, vscode.l10n.t('It has never been committed.'), vscode.l10n.t('Commit it first.'));
  }
  return api.toGitUri(file, 'HEAD');
}

/** Undefined where Git is switched off, in which case asking throws. */
async function activeApi(
  extension: vscode.Extension<{ getAPI(version: 1): GitApi }> | undefined,
): Promise<GitApi | undefined> {
  try {
    return (await extension?.activate())?.getAPI(1);
  } catch {
    return undefined; // "Git model not found": the caller reports it
  }
}

function noHead(file: vscode.Uri, reason: string, hint: string): CodedError {
  const name = vscode.workspace.asRelativePath(file);
  const message = vscode.l10n.t('Cannot compare {0} with its last commit. {1}', name, reason);
  return new CodedError({ code: 'config/no-head', message, hint });
}
