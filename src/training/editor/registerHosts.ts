import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { contextKeys, views, commands, languages, settings, settingsSection } from '../../base/core/ids.ts';
import { pageActions, registerHostCommands, type CommandParts } from './hostCommands.ts';
import { HostClients } from './hostClients.ts';
import { HostsProvider } from './hostsProvider.ts';
import { KnownHosts } from './knownHosts.ts';
import { createLogLinker } from './logLinks.ts';
import { PreflightNotes } from './preflightNotes.ts';
import { registerLogLinks, RunLogs } from './runLogs.ts';
import { DispatchedRuns } from './dispatchedRuns.ts';
import { SshTunnels } from './sshTunnels.ts';
import type { ChosenRun } from './trainingActions.ts';
import { TrainingConfigs } from './trainingConfigs.ts';
import { TrainingPages } from './trainingPages.ts';
import { launchKey } from '../../configs/core/dialect.ts';
import { shortText } from '../../configs/editor/choose/target.ts';

export interface HostsParts {
  readonly context: vscode.ExtensionContext;
  readonly clock: Clock;
  readonly webFolder: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the GPU Hosts view and its commands. Connections start when the view is visible or a command needs one. */
export function registerHosts({ context, clock, webFolder, log }: HostsParts): Disposable {
  const store = new DisposableStore();
  const hosts = store.add(new KnownHosts(context.globalState, context.secrets));
  const version = String((context.extension.packageJSON as { readonly version: unknown }).version);
  const program = path.join(context.extensionPath, 'dist', 'host.cjs');
  const ssh = new SshTunnels(program, (text) => log.info(text));
  const clients = store.add(new HostClients(hosts, ssh, clock, version));
  store.add(registerView(hosts, clients));
  store.add(registerTrainLens(hosts));
  const logs = store.add(new RunLogs(log));
  const dispatchedRuns = new DispatchedRuns(context.globalState);
  store.add(registerLogLinks(logs, createLogLinker(clients, dispatchedRuns)));
  const shown = {
    showLog: ({ host, client, run }: ChosenRun): void => logs.show(host.name, client, run),
    showPage: (chosen: ChosenRun, opensItself?: boolean): Promise<void> => pages.show(chosen, opensItself),
    compare: (chosen: ChosenRun): Promise<void> => pages.compare(chosen),
    configs: store.add(new TrainingConfigs(hosts, clients)),
    storage: context.globalStorageUri,
    dispatchedRuns,
  };
  const notes = store.add(new PreflightNotes());
  const actions = pageActions({ ...shown, notes });
  const pages = store.add(
    new TrainingPages({
      hosts,
      clients,
      state: context.workspaceState,
      webFolder,
      log,
      actions,
      configs: shown.configs,
    }),
  );
  const parts: CommandParts = {
    ...shown,
    hosts,
    clients,
    ssh,
    dispatchedRuns,
    log,
    notes,
    recent: new RecentConfigs(context.workspaceState),
    started: async (host, run) => pages.show({ host, client: await clients.get(host), run }, true),
  };
  store.add(registerHostCommands(parts));
  return store;
}

function registerView(hosts: KnownHosts, clients: HostClients): Disposable {
  const store = new DisposableStore();
  const provider = store.add(new HostsProvider(hosts, clients));
  const view = store.add(
    vscode.window.createTreeView(views.hosts, { treeDataProvider: provider, showCollapseAll: true }),
  );
  store.add(view.onDidChangeVisibility(({ visible }) => clients.setWatched(visible)));
  const updateContext = (): void => {
    void vscode.commands.executeCommand('setContext', contextKeys.noHosts, hosts.list().length === 0);
  };
  updateContext();
  store.add(hosts.onChanged(updateContext));
  return store;
}

/** Shows "Train on GPU Host" above a config, if a host was added. */
function registerTrainLens(hosts: KnownHosts): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(hosts.onChanged(() => changed.fire()));
  store.add(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${settingsSection}.${settings.codeLens}`)) changed.fire();
    }),
  );
  store.add(
    vscode.languages.registerCodeLensProvider(
      { language: languages.config, scheme: 'file' },
      { onDidChangeCodeLenses: changed.event, provideCodeLenses: (document) => lenses(hosts, document) },
    ),
  );
  return store;
}

function lenses(hosts: KnownHosts, document: vscode.TextDocument): vscode.CodeLens[] {
  const section = vscode.workspace.getConfiguration(settingsSection, document.uri);
  if (hosts.list().length === 0 || !section.get<boolean>(settings.codeLens, true)) return [];
  const key = launchKey(shortText(document));
  if (key === undefined) return [];
  const { line } = document.positionAt(key);
  return [
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
      title: vscode.l10n.t('$(rocket) Train on GPU Host'),
      command: commands.trainOnHost,
      arguments: [document.uri],
    }),
  ];
}
