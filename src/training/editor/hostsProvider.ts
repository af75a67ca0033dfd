import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import type { Gpu } from '../core/protocol/hostRpc.ts';
import type { RunRecord } from '../core/protocol/runs.ts';
import { stateText } from '../core/runs/words.ts';
import { commands } from '../../base/core/ids.ts';
import { connectionText, isRunning, type HostClient } from './hostClient.ts';
import { missingToken, type HostClients, type ConnectionProblem } from './hostClients.ts';
import {
  gpuDescription,
  hostDescription,
  trainingDescription,
  trainingIcons,
  trainingTooltip,
} from './hostText.ts';
import type { KnownHost, KnownHosts } from './knownHosts.ts';

export type HostNode =
  | { readonly kind: 'host'; readonly host: KnownHost }
  | { readonly kind: 'gpu'; readonly host: KnownHost; readonly gpu: Gpu }
  | { readonly kind: 'training'; readonly host: KnownHost; readonly run: string };

/** The tree of GPU hosts: below each host its GPUs and its runs. */
export class HostsProvider implements vscode.TreeDataProvider<HostNode>, Disposable {
  readonly #hosts: KnownHosts;
  readonly #clients: HostClients;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<undefined>());
  #redrawing: ReturnType<typeof setTimeout> | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(hosts: KnownHosts, clients: HostClients) {
    this.#hosts = hosts;
    this.#clients = clients;
    this.#store.add(clients.onChanged(() => this.#redraw()));
    this.#store.defer(() => clearTimeout(this.#redrawing));
  }

  async getChildren(node?: HostNode): Promise<HostNode[]> {
    if (node === undefined) return this.#hosts.list().map((host) => ({ kind: 'host', host }));
    if (node.kind !== 'host') return [];
    const { host } = node;
    const client = await this.#clients.tryConnect(host);
    if (client === undefined) return []; // the row of the host shows the reason
    // Without a connection the GPU load is outdated. The runs are still valid.
    const gpus = client.state.kind === 'connected' ? client.status?.gpus : undefined;
    return [
      ...(gpus ?? []).map((gpu): HostNode => ({ kind: 'gpu', host, gpu })),
      ...client.runs.map(({ id }): HostNode => ({ kind: 'training', host, run: id })),
    ];
  }

  getTreeItem(node: HostNode): vscode.TreeItem {
    const client = this.#clients.peek(node.host.name);
    switch (node.kind) {
      case 'host':
        return hostItem(node.host, client, this.#clients.problem(node.host.name));
      case 'gpu':
        return gpuItem(node.host, node.gpu, client);
      case 'training':
        return trainingItem(node, client?.run(node.run));
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Redraws at most four times a second, because runs can change more often. */
  #redraw(): void {
    this.#redrawing ??= setTimeout(() => {
      this.#redrawing = undefined;
      this.#changed.fire(undefined);
    }, 250);
  }
}

function hostItem(
  host: KnownHost,
  client: HostClient | undefined,
  problem: ConnectionProblem | undefined,
): vscode.TreeItem {
  const item = new vscode.TreeItem(host.name, vscode.TreeItemCollapsibleState.Expanded);
  const state = client?.state;
  const isConnected = state?.kind === 'connected';
  const connection = state ? connectionText(state) : (problem?.report.message ?? '');
  item.id = `host ${host.name}`;
  item.description = isConnected && client?.status ? hostDescription(client.status) : connection || host.url;
  item.iconPath = new vscode.ThemeIcon(
    isConnected ? 'vm-active' : state?.kind === 'connecting' ? 'vm-connect' : 'vm-outline',
  );
  const isWithoutToken =
    problem?.report.code === missingToken || (state?.kind === 'ended' && state.lacks === 'token');
  item.contextValue = isWithoutToken ? 'host withoutToken' : 'host';
  const hint = state?.kind === 'ended' ? state.hint : problem?.report.hint;
  item.tooltip = [host.url, connection, hint ?? ''].filter((line) => line !== '').join('\n');
  item.accessibilityInformation = {
    label: vscode.l10n.t('GPU host {0}, {1}', host.name, item.description),
  };
  return item;
}

function gpuItem(host: KnownHost, gpu: Gpu, client: HostClient | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(`GPU ${gpu.index}`);
  const run = gpu.run === null ? undefined : client?.run(gpu.run);
  item.id = `gpu ${host.name} ${gpu.index}`;
  item.description = [gpuDescription(gpu), run?.name ?? ''].filter((part) => part !== '').join(' · ');
  const color = gpu.run === null ? undefined : new vscode.ThemeColor('charts.green');
  item.iconPath = new vscode.ThemeIcon('chip', color);
  item.tooltip = gpu.name;
  item.contextValue = 'gpu';
  return item;
}

function trainingItem(
  node: Extract<HostNode, { kind: 'training' }>,
  run: RunRecord | undefined,
): vscode.TreeItem {
  const item = new vscode.TreeItem(run?.name ?? node.run);
  item.id = `training ${node.host.name} ${node.run}`;
  if (run === undefined) return item;
  const { icon, color } = trainingIcons[run.state];
  item.description = trainingDescription(run);
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.tooltip = new vscode.MarkdownString(trainingTooltip(run, node.host.name));
  const hasFolder = run.jobFolder === null ? '' : ' hasFolder';
  item.contextValue = `training ${isRunning(run) ? 'going' : 'over'}${hasFolder}`;
  const state = stateText(run.state);
  const spoken = item.description.startsWith(state) ? item.description : `${state} · ${item.description}`;
  item.accessibilityInformation = { label: vscode.l10n.t('Training run {0}, {1}', run.name, spoken) };
  const title = vscode.l10n.t('Show Training Run');
  item.command = { command: commands.openTraining, title, arguments: [node] };
  return item;
}
