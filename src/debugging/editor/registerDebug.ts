import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock, FileReader } from '../../base/core/ports.ts';
import { pythonDebugType } from '../node/childSession.ts';
import type { RunLauncher } from '../../backbone/node/client/runLauncher.ts';
import { debugType, activeFileDebugType } from '../../base/core/ids.ts';
import { renamedDebugTypes } from '../../base/core/renamedIds.ts';
import { PythonChoice } from './python/pythonChoice.ts';
import { debugpyFolders, registerDebugpyHelp } from './python/debugpyHelp.ts';
import { ApiKeys } from './apiKeys.ts';
import { registerCodeLenses } from '../../configs/editor/choose/codeLenses.ts';
import { registerCommands } from './commands.ts';
import { ConfigurationProvider } from './configurationProvider.ts';
import { registerContextKeys } from './contextKeys.ts';
import { DescriptorFactory, pythonDescriptors, pythonTrackers } from './descriptorFactory.ts';
import { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { registerUpstreamLaunches } from './registerUpstreamLaunches.ts';

export interface DebugParts {
  readonly context: Pick<
    vscode.ExtensionContext,
    'secrets' | 'workspaceState' | 'globalState' | 'globalStorageUri'
  >;
  readonly launcher: RunLauncher;
  readonly clock: Clock;
  readonly files: FileReader;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the AgentJet bundles. */
  readonly ownFolder: string;
  readonly log: vscode.LogOutputChannel;
}

/** Everything that debugging contributes to VS Code. */
export function registerDebug(parts: DebugParts): Disposable {
  const { context, launcher, clock, files, environment, ownFolder, log } = parts;
  const store = new DisposableStore();
  const recent = new RecentConfigs(context.workspaceState);
  const apiKeys = new ApiKeys(context.secrets, context.globalState);
  const choice = new PythonChoice(clock, log);
  const storage = context.globalStorageUri.fsPath;
  const provider = new ConfigurationProvider(recent, choice);
  for (const type of [debugType, activeFileDebugType, ...Object.keys(renamedDebugTypes)]) {
    store.add(vscode.debug.registerDebugConfigurationProvider(type, provider));
  }
  // This one only provides: a second resolving provider would resolve twice.
  const dynamic: vscode.DebugConfigurationProvider = {
    provideDebugConfigurations: (folder) => provider.provideDynamicConfigurations(folder),
  };
  const trigger = vscode.DebugConfigurationProviderTriggerKind.Dynamic;
  store.add(vscode.debug.registerDebugConfigurationProvider(debugType, dynamic, trigger));
  const savedApiKey = (baseUrl: string): Promise<string | undefined> => apiKeys.get(baseUrl);
  const ports = {
    launcher,
    clock,
    files,
    environment,
    ownFolder,
    savedApiKey,
    debugpyFolders: () => debugpyFolders(storage),
  };
  store.add(vscode.debug.registerDebugAdapterDescriptorFactory(debugType, new DescriptorFactory(ports)));
  store.add(vscode.debug.registerDebugAdapterDescriptorFactory(pythonDebugType, pythonDescriptors));
  store.add(vscode.debug.registerDebugAdapterTrackerFactory(pythonDebugType, pythonTrackers));
  const workerFolder = path.join(ownFolder, 'python');
  store.add(registerDebugpyHelp({ choice, storage, workerFolder, log }));
  store.add(registerContextKeys(clock));
  store.add(registerUpstreamLaunches(clock));
  store.add(registerCodeLenses());
  store.add(registerCommands(recent, apiKeys));
  return store;
}
