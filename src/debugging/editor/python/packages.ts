import path from 'node:path';
import * as vscode from 'vscode';
import { installRequirements } from '../../../backbone/node/python/debugpy.ts';
import { pythonErrors } from '../../../backbone/node/python/errors.ts';
import { environmentOf } from '../../../backbone/node/python/interpreter.ts';
import { pathExists, localFiles } from '../../../base/node/files.ts';
import { withCancellableProgress } from '../../../base/editor/progress.ts';
import type { PythonChoice } from './pythonChoice.ts';

export interface PackageParts {
  readonly choice: PythonChoice;
  /** The folder that `agentjet_worker` lies in. */
  readonly workerFolder: string;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Installs the packages of the `requirements.txt` of a folder. If its Python is not in an environment, creates `.venv`.
 *
 * @param file in the folder, by default the first workspace folder
 */
export async function installPackages(
  file: vscode.Uri | undefined,
  { choice, workerFolder, log }: PackageParts,
): Promise<void> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  if (!isTrusted) throw pythonErrors.notTrusted();
  const folders = [
    ...(file?.scheme === 'file' ? [path.dirname(file.fsPath)] : []),
    ...(file ? [vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath] : []),
    workspaceFolders[0]?.uri.fsPath,
  ].filter((folder) => folder !== undefined);
  const folder = await firstWith(folders, 'requirements.txt');
  if (folder === undefined) throw pythonErrors.noRequirements();
  const { executable } = await choice.find(vscode.Uri.file(folder), { cwd: folder });
  const isOwn = (await environmentOf(executable, localFiles)) !== undefined;
  const environment = isOwn ? undefined : path.join(folder, '.venv');
  const title =
    environment === undefined
      ? vscode.l10n.t('Installing the packages of requirements.txt')
      : vscode.l10n.t('Creating .venv and installing the packages of requirements.txt');
  const done = await withCancellableProgress(title, ({ cancellation, report }) =>
    installRequirements({
      executable,
      workerFolder,
      requirements: path.join(folder, 'requirements.txt'),
      environment,
      cancellation,
      onLine: (line) => {
        log.info(line);
        report({ message: line });
      },
    }),
  );
  if (done !== true) return;
  void vscode.window.showInformationMessage(vscode.l10n.t('The packages of requirements.txt are installed.'));
}

async function firstWith(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) if (await pathExists(path.join(folder, name))) return folder;
  return undefined;
}
