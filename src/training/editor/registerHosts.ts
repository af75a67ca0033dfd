import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { ApiKeys } from '../../backbone/editor/model/apiKeys.ts';
import { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { contextKeys, debugType, views, commands, languages } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { trainingEventNames, type TrainingStartedBody } from '../../traces/core/runEvents.ts';
import { registerLenses } from '../../base/editor/lenses.ts';
import { registerHostCommands } from './hostCommands.ts';
import { HostClients } from './hostClients.ts';
import { HostsProvider } from './hostsProvider.ts';
import { KnownHosts } from './knownHosts.ts';
import { createLogLinker } from './logLinks.ts';
import { PreflightNotes } from './preflightNotes.ts';
import { registerLogLinks, RunLogs } from './runLogs.ts';
import { DispatchedRuns } from './dispatchedRuns.ts';
import type { TrainingServices } from './services.ts';
import { SshTunnels } from './sshTunnels.ts';
import { registerTinkerHosts } from './tinkerHosts.ts';
import { TrainingConfigs } from './trainingConfigs.ts';
import { TrainingPages } from './trainingPages.ts';
import { launchKey } from '../../configs/core/dialect.ts';
import { shortText } from '../../configs/editor/choose/target.ts';

/** Registers the GPU Hosts view and its commands. Connections start when the view is visible or a command needs one. */
export function registerHosts(
  context: vscode.ExtensionContext,
  {
    clock,
    log,
    webFolder,
    apiKeys,
  }: { clock: Clock; log: vscode.LogOutputChannel; webFolder: vscode.Uri; apiKeys: ApiKeys },
): Pick<HostClients, 'releases'> & { onReleasesChanged(listener: () => void): Disposable } & Disposable {
  const store = new DisposableStore();
  const hosts = store.add(new KnownHosts(context.globalState, context.secrets));
  const version = String((context.extension.packageJSON as { readonly version: unknown }).version);
  const program = path.join(context.extensionPath, 'dist', 'host.cjs');
  const ssh = new SshTunnels(program, (text) => log.info(text));
  const clients = store.add(new HostClients(hosts, ssh, clock, version));
  const logs = store.add(new RunLogs(log));
  const services: TrainingServices = {
    hosts,
    clients,
    ssh,
    log,
    notes: store.add(new PreflightNotes()),
    dispatchedRuns: new DispatchedRuns(context.globalState),
    configs: store.add(new TrainingConfigs(hosts, clients)),
    recent: new RecentConfigs(context.workspaceState),
    apiKeys,
    storage: context.globalStorageUri,
    showLog: ({ host, client, run }) => logs.show(host.name, client, run),
    showPage: (chosen, opensItself) => pages.show(chosen, opensItself),
  };
  const pages = store.add(new TrainingPages(services, context.workspaceState, webFolder));
  store.add(registerHostCommands(services, pages));
  store.add(openTrainings(pages, log));
  store.add(registerTinkerHosts(services));
  store.add(registerLogLinks(logs, createLogLinker(clients, services.dispatchedRuns)));
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
  store.add(registerTrainLens(hosts));
  return {
    releases: () => clients.releases(),
    onReleasesChanged: (listener) => {
      let last = JSON.stringify(clients.releases());
      return clients.onChanged(() => {
        const now = JSON.stringify(clients.releases());
        if (now === last) return;
        last = now;
        listener();
      });
    },
    dispose: () => store.dispose(),
  };
}

/** Opens the page of each training that a debug session of this window starts. */
function openTrainings(pages: TrainingPages, log: vscode.LogOutputChannel): Disposable {
  return vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
    if (session.type !== debugType || event !== trainingEventNames.started) return;
    const { folder } = body as TrainingStartedBody;
    void reportingErrors(() => pages.showFolder(folder, true), log);
  });
}

/** Shows "Train on GPU Host" above a config, if a host was added. */
function registerTrainLens(hosts: KnownHosts): Disposable {
  const lenses = (document: vscode.TextDocument): vscode.CodeLens[] => {
    const key = hosts.list().length === 0 ? undefined : launchKey(shortText(document));
    if (key === undefined) return [];
    const { line } = document.positionAt(key);
    const title = vscode.l10n.t('$(rocket) Train on GPU Host');
    const command = { title, command: commands.trainOnHost, arguments: [document.uri] };
    return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)];
  };
  return registerLenses({ language: languages.config, scheme: 'file' }, lenses, [hosts.onChanged]);
}
