import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { commands } from '../../base/core/ids.ts';
import type { ApiKeys } from './apiKeys.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { configurationFor } from './configurationProvider.ts';
import type { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { targetOf, type Target } from '../../configs/editor/choose/target.ts';

/** A command and its replacement in a workspace that cannot run anything. */
interface CommandRow {
  readonly enabled: (...args: unknown[]) => Promise<void>;
  readonly disabled: (...args: unknown[]) => Promise<void>;
}

export function registerCommands(recent: RecentConfigs, apiKeys: ApiKeys): Disposable {
  const table: Readonly<Record<string, CommandRow>> = {
    [commands.debug]: { enabled: (...args) => launch(args, recent, false), disabled: needsDisk },
    [commands.run]: { enabled: (...args) => launch(args, recent, true), disabled: needsDisk },
    [commands.setApiKey]: { enabled: () => apiKeys.ask(), disabled: () => apiKeys.ask() },
    [commands.deleteApiKey]: { enabled: () => apiKeys.forget(), disabled: () => apiKeys.forget() },
  };
  const store = new DisposableStore();
  for (const [id, row] of Object.entries(table)) {
    store.add(
      vscode.commands.registerCommand(id, (...args: unknown[]) =>
        isOnDisk() ? row.enabled(...args) : row.disabled(...args),
      ),
    );
  }
  return store;
}

/** A virtual workspace has no files that a process could run; a window without a folder may still open some. */
function isOnDisk(): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.length === 0 || folders.some((folder) => folder.uri.scheme === 'file');
}

async function needsDisk(): Promise<void> {
  await vscode.window.showErrorMessage(
    vscode.l10n.t(
      'This workspace has no files on disk, which AgentJet needs. Clone the repository or open a local folder.',
    ),
  );
}

/** `args`: nothing (palette), a URI (menus, the lens of a config), or a URI and the name of a workflow (its lens). */
async function launch(args: readonly unknown[], recent: RecentConfigs, noDebug: boolean): Promise<void> {
  const config = await chooseConfig(await targetOfArguments(args), recent);
  if (!config) return;
  const configuration = { ...configurationFor(config), cwd: workingFolder(config) };
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(config), configuration, { noDebug });
}

async function targetOfArguments([uri, workflow]: readonly unknown[]): Promise<Target | undefined> {
  const document =
    uri instanceof vscode.Uri
      ? await vscode.workspace.openTextDocument(uri)
      : vscode.window.activeTextEditor?.document;
  const target = document && targetOf(document);
  return target?.kind === 'workflow' && typeof workflow === 'string'
    ? { ...target, workflows: [workflow] }
    : target;
}
