/** The composition root of the extension. Creates objects and registers them. */
import path from 'node:path';
import process from 'node:process';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { addCommandToTerminals } from './command/editor/terminalCommand.ts';
import { DisposableStore } from './base/core/disposable.ts';
import { systemClock } from './base/node/clock.ts';
import { localFiles } from './base/node/files.ts';
import { rowCounter } from './configs/node/rowCounts.ts';
import { createRunLauncher } from './backbone/node/process/backboneChannel.ts';
import { traceServerSpawner } from './traces/node/client/serverProcess.ts';
import { configOfLastRun } from './traces/editor/lastRunConfig.ts';
import { StdioTraceClient } from './traces/node/client/traceClient.ts';
import { registerSetupCommands } from './backbone/editor/registerCommands.ts';
import { ApiKeys } from './backbone/editor/model/apiKeys.ts';
import { registerModel } from './backbone/editor/model/registerModel.ts';
import { registerDebug } from './debugging/editor/registerDebug.ts';
import { RecentConfigs } from './configs/editor/choose/recentConfigs.ts';
import { registerHosts } from './training/editor/registerHosts.ts';
import { findRolloutConfig } from './training/editor/rollouts.ts';
import { DispatchedRuns } from './training/editor/dispatchedRuns.ts';
import { registerEditorModels } from './debugging/editor/editorModels.ts';
import { registerHuman } from './debugging/editor/questions.ts';
import { settings, settingsSection } from './base/core/ids.ts';
import { registerConfigLanguage } from './configs/editor/language/registerConfigLanguage.ts';
import { pythonEnvironments } from './debugging/editor/python/pythonEnvironments.ts';
import { registerRunNotes } from './debugging/editor/runNotes.ts';
import { registerRuns } from './traces/editor/runs/registerRuns.ts';
import { registerRunStatus } from './traces/editor/runs/statusBar.ts';
import type { ConfigOfRollouts } from './traces/editor/debugEpisode.ts';
import { registerTrace } from './traces/editor/registerTrace.ts';

export function activate(context: vscode.ExtensionContext): void {
  // For code without the VS Code API. In English there is no bundle.
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
  const store = new DisposableStore();
  context.subscriptions.push(store);
  const log = store.add(vscode.window.createOutputChannel('AgentJet', { log: true }));
  addCommandToTerminals(context);
  const ownFolder = path.join(context.extensionPath, 'dist');
  const logger = { log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => log[level](text) };
  const launcher = createRunLauncher({ distFolder: ownFolder, ownExecutable: process.execPath, logger });
  const spawn = traceServerSpawner({
    distFolder: ownFolder,
    ownExecutable: process.execPath,
    runtimeExecutable: () =>
      vscode.workspace.getConfiguration(settingsSection).get<string>(settings.runtimeExecutable),
    isTrusted: () => vscode.workspace.isTrusted,
  });
  const client = store.add(new StdioTraceClient({ spawn, clock: systemClock, logger }));
  const webFolder = vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview');
  const jobs = { spawn, importFolder: vscode.Uri.joinPath(context.globalStorageUri, 'imports') };
  const traceParts = { client, clock: systemClock, jobs, state: context.workspaceState, webFolder, log };
  store.add(registerTrace({ ...traceParts, configOfRollouts: rolloutConfigs(context) }));
  store.add(registerRuns({ client, clock: systemClock, log }));
  store.add(registerRunStatus(systemClock, log));
  const apiKeys = new ApiKeys(context.secrets, context.globalState);
  const hosts = store.add(registerHosts(context, { clock: systemClock, webFolder, log, apiKeys }));
  store.add(registerHuman(log));
  store.add(registerEditorModels());
  store.add(registerRunNotes(context.extensionUri, log));
  store.add(registerSetupCommands(context.extensionUri, log));
  store.add(registerModel({ apiKeys, state: context.workspaceState, log }, systemClock));
  store.add(
    registerConfigLanguage({
      clock: systemClock,
      files: localFiles,
      environment: process.env,
      rows: rowCounter(),
      environments: (config) => pythonEnvironments(config, systemClock, log),
      hosts,
      extension: context.extensionUri,
      configOfLastRun: (config) => configOfLastRun(config, client),
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
      apiKeys,
      log,
    }),
  );
}

function rolloutConfigs(context: vscode.ExtensionContext): ConfigOfRollouts {
  const parts = {
    storage: context.globalStorageUri,
    dispatchedRuns: new DispatchedRuns(context.globalState),
    recent: new RecentConfigs(context.workspaceState),
  };
  return (source) => findRolloutConfig(source, parts);
}
