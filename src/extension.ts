/** Composition root of the extension: builds objects and registers them. Nothing else happens on activation. */
import path from 'node:path';
import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DisposableStore } from './base/disposable.ts';
import { systemClock } from './node/clock.ts';
import { localFiles } from './node/files.ts';
import { rowCounter } from './node/rowCounts.ts';
import { createRunLauncher } from './node/runLauncher.ts';
import { traceServerSpawner } from './node/trace/client/serverProcess.ts';
import { StdioTraceClient } from './node/trace/client/traceClient.ts';
import { registerSetupCommands } from './vscode/commands/registerCommands.ts';
import { registerDebug } from './vscode/debug/registerDebug.ts';
import { RecentConfigs } from './vscode/debug/recentConfigs.ts';
import { registerHosts } from './vscode/hosts/registerHosts.ts';
import { configOfRollouts } from './vscode/hosts/rollouts.ts';
import { SentRuns } from './vscode/hosts/sentRuns.ts';
import { registerHuman } from './vscode/human/registerHuman.ts';
import { settings, settingsSection } from './vscode/ids.ts';
import { registerConfigLanguage } from './vscode/language/registerConfigLanguage.ts';
import { registerRunNotes } from './vscode/notes/registerRunNotes.ts';
import { registerRuns } from './vscode/runs/registerRuns.ts';
import { registerRunStatus } from './vscode/runs/statusBar.ts';
import type { ConfigOfRollouts } from './vscode/trace/debugEpisode.ts';
import { registerTrace } from './vscode/trace/registerTrace.ts';

export function activate(context: vscode.ExtensionContext): void {
  // For what knows nothing of the editor; in English, every text is its own.
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const log = store.add(vscode.window.createOutputChannel('AgentJet', { log: true }));
  const ownFolder = path.join(context.extensionPath, 'dist');
  const logger = { log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => log[level](text) };
  const launcher = createRunLauncher({ distFolder: ownFolder, ownExecutable: process.execPath, logger });
  const spawn = traceServerSpawner({
    distFolder: ownFolder,
    ownExecutable: process.execPath,
    runtimeExecutable: () =>
      vscode.workspace.getConfiguration(settingsSection).get<string>(settings.runtimeExecutable),
  });
  const client = store.add(new StdioTraceClient({ spawn, clock: systemClock, logger }));
  const webFolder = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
  const jobs = { spawn, importFolder: vscode.Uri.joinPath(context.globalStorageUri, 'imports') };
  const traceParts = { client, clock: systemClock, jobs, state: context.workspaceState, webFolder, log };
  store.add(registerTrace({ ...traceParts, configOfRollouts: rolloutConfigs(context) }));
  store.add(registerRuns({ client, clock: systemClock, log }));
  store.add(registerRunStatus(systemClock, log));
  store.add(registerHosts({ context, clock: systemClock, webFolder, log }));
  store.add(registerHuman(log));
  store.add(registerRunNotes(context.extensionUri, log));
  store.add(registerSetupCommands(context.extensionUri, log));
  store.add(
    registerConfigLanguage({
      clock: systemClock,
      files: localFiles,
      environment: process.env,
      rows: rowCounter(),
      extension: context.extensionUri,
      client,
      log,
    }),
  );
  store.add(
    registerDebug({
      context,
      launcher,
      clock: systemClock,
      files: localFiles,
      environment: process.env,
      ownFolder,
      log,
    }),
  );
}

function rolloutConfigs(context: vscode.ExtensionContext): ConfigOfRollouts {
  const parts = {
    storage: context.globalStorageUri,
    sentRuns: new SentRuns(context.globalState),
    recent: new RecentConfigs(context.workspaceState),
  };
  return (source) => configOfRollouts(source, parts);
}
