import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import { RecentConfigs } from '../../configs/editor/choose/recentConfigs.ts';
import { contextKeys, views } from '../../base/core/ids.ts';
import { pageActions, registerHostCommands, type CommandParts } from './hostCommands.ts';
import { HostLinks } from './hostLinks.ts';
import { HostsProvider } from './hostsProvider.ts';
import { KnownHosts } from './knownHosts.ts';
import { logLinker } from './linksOfLog.ts';
import { PreflightNotes } from './preflightNotes.ts';
import { registerLogLinks, RunLogs } from './runLogs.ts';
import { SentRuns } from './sentRuns.ts';
import { SshWays } from './sshWays.ts';
import type { Chosen } from './trainingActions.ts';
import { TrainingConfigs } from './trainingConfigs.ts';
import { TrainingPages } from './trainingPages.ts';
import { registerTrainLens } from './trainLens.ts';

export interface HostsParts {
  readonly context: vscode.ExtensionContext;
  readonly clock: Clock;
  readonly webFolder: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/** The view "GPU Hosts", and what trains there. Nothing is connected before somebody looks or asks. */
export function registerHosts({ context, clock, webFolder, log }: HostsParts): Disposable {
  const store = new DisposableStore();
  const hosts = store.add(new KnownHosts(context.globalState, context.secrets));
  const version = String((context.extension.packageJSON as { readonly version: unknown }).version);
  const program = path.join(context.extensionPath, 'dist', 'host.cjs');
  const ssh = new SshWays(program, (text) => log.info(text));
  const links = store.add(new HostLinks(hosts, ssh, clock, version));
  store.add(registerView(hosts, links));
  store.add(registerTrainLens(hosts));
  const logs = store.add(new RunLogs(log));
  const sentRuns = new SentRuns(context.globalState);
  store.add(registerLogLinks(logs, logLinker(links, sentRuns)));
  const shown = {
    showLog: ({ host, link, run }: Chosen): void => logs.show(host.name, link, run),
    showPage: (chosen: Chosen, opensItself?: boolean): Promise<void> => pages.show(chosen, opensItself),
    compare: (chosen: Chosen): Promise<void> => pages.compare(chosen),
    configs: store.add(new TrainingConfigs(hosts, links)),
    storage: context.globalStorageUri,
    sentRuns,
  };
  const notes = store.add(new PreflightNotes());
  const actions = pageActions({ ...shown, notes });
  const pages = store.add(
    new TrainingPages({
      hosts,
      links,
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
    links,
    ssh,
    sentRuns,
    log,
    notes,
    recent: new RecentConfigs(context.workspaceState),
    started: async (host, run) => pages.show({ host, link: await links.link(host), run }, true),
  };
  store.add(registerHostCommands(parts));
  return store;
}

function registerView(hosts: KnownHosts, links: HostLinks): Disposable {
  const store = new DisposableStore();
  const provider = store.add(new HostsProvider(hosts, links));
  const view = store.add(
    vscode.window.createTreeView(views.hosts, { treeDataProvider: provider, showCollapseAll: true }),
  );
  store.add(view.onDidChangeVisibility(({ visible }) => links.setWatched(visible)));
  const tell = (): void => {
    void vscode.commands.executeCommand('setContext', contextKeys.noHosts, hosts.list().length === 0);
  };
  tell();
  store.add(hosts.onChanged(tell));
  return store;
}
