import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { customEventNames, type NeedsDebugpyBody } from '../../node/customEvents.ts';
import { debugpyFolder, debugpyVersion, installDebugpy } from '../../../backbone/node/python/debugpy.ts';
import { pythonErrors } from '../../../backbone/node/python/errors.ts';
import { withCancellableProgress } from '../../../base/editor/progress.ts';
import { commands, debugType } from '../../../base/core/ids.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { installPackages } from './packages.ts';
import { bundledDebugpy } from './pythonApi.ts';
import type { PythonChoice } from './pythonChoice.ts';

export interface DebugpyParts {
  readonly choice: PythonChoice;
  /** The storage folder of the extension on this machine. */
  readonly storage: string;
  /** The folder that `agentjet_worker` lies in. */
  readonly workerFolder: string;
  readonly log: vscode.LogOutputChannel;
}

/** Returns the folders that may have debugpy besides the interpreter: the Python Debugger extension, then our own copy. */
export function debugpyFolders(storage: string): string[] {
  return [bundledDebugpy(vscode.extensions), debugpyFolder(storage)].flatMap((folder) => folder ?? []);
}

/** Offers to install debugpy if a launch found none, and then repeats the launch. */
export function registerDebugpyHelp(parts: DebugpyParts): Disposable {
  const store = new DisposableStore();
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType || event !== customEventNames.needsDebugpy) return;
      const { message } = body as NeedsDebugpyBody;
      void reportingErrors(() => offer(session, message, parts), parts.log);
    }),
  );
  store.add(
    vscode.commands.registerCommand(commands.installDebugpy, () =>
      reportingErrors(() => installFor(vscode.window.activeTextEditor?.document.uri, parts), parts.log),
    ),
  );
  store.add(
    vscode.commands.registerCommand(commands.installPackages, (file?: vscode.Uri) =>
      reportingErrors(
        () => installPackages(file ?? vscode.window.activeTextEditor?.document.uri, parts),
        parts.log,
      ),
    ),
  );
  return store;
}

/** @param file of the folder whose Python is meant; undefined: the first folder */
async function installFor(file: vscode.Uri | undefined, parts: DebugpyParts): Promise<void> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  const uri = file ?? workspaceFolders[0]?.uri;
  if (uri === undefined) throw pythonErrors.noFolder();
  // The folder's own interpreter is a program of it.
  if (!isTrusted) throw pythonErrors.notTrusted();
  await install(uri, { cwd: vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath }, parts);
}

async function offer(session: vscode.DebugSession, missing: string, parts: DebugpyParts): Promise<void> {
  const installIt = vscode.l10n.t('Install debugpy');
  const withoutIt = vscode.l10n.t('Run Without Debugging');
  const text = vscode.l10n.t(
    '{0} AgentJet can install it in a separate folder, without changes to your environment.',
    missing,
  );
  const chosen = await vscode.window.showWarningMessage(text, installIt, withoutIt);
  if (chosen === undefined) return;
  const { configuration, workspaceFolder } = session;
  const config = vscode.Uri.file(String(configuration['config']));
  if (chosen === installIt && !(await install(config, configuration, parts))) return;
  await vscode.debug.startDebugging(workspaceFolder, configuration, { noDebug: chosen === withoutIt });
}

/** Returns true if debugpy is installed now, and false after a cancellation. */
async function install(
  resource: vscode.Uri,
  configuration: Readonly<Record<string, unknown>>,
  { choice, storage, workerFolder, log }: DebugpyParts,
): Promise<boolean> {
  const { executable } = await choice.find(resource, configuration);
  const isThere = await withCancellableProgress(
    vscode.l10n.t('Installing debugpy {0} for {1}', debugpyVersion, path.basename(executable)),
    ({ cancellation, report }) =>
      installDebugpy({
        executable,
        workerFolder,
        storage,
        cancellation,
        onLine: (line) => {
          log.info(line);
          report({ message: line });
        },
      }),
  );
  if (isThere !== true) return false;
  log.info(`debugpy ${debugpyVersion} for ${executable} is in ${debugpyFolder(storage)}.`);
  return true;
}
