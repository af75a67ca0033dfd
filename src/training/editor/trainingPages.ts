import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { systemClock } from '../../base/node/clock.ts';
import { trainingRunBundle, trainingRunPage } from '../core/page/trainingRunPage.ts';
import { runPageRequest, type RunRef, type RunPageRequest } from '../core/page/trainingRunRpc.ts';
import { trainingPageType } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import type { CheckpointId } from '../core/sync/checkpoints.ts';
import { chooseOtherRun } from './chooseTraining.ts';
import type { HostClients } from './hostClients.ts';
import type { KnownHosts } from './knownHosts.ts';
import { PageFeed } from './pageFeed.ts';
import type { ChosenRun } from './trainingActions.ts';
import type { TrainingConfigs } from './trainingConfigs.ts';

/** The actions that a page can request for its runs. */
export type PageActions = Readonly<
  Record<
    Exclude<RunPageRequest['type'], 'ready' | 'addRun' | 'removeRun' | 'compareConfig'>,
    (chosen: ChosenRun, checkpoint: CheckpointId | undefined) => Promise<unknown>
  >
>;

export interface PagesParts {
  readonly hosts: KnownHosts;
  readonly clients: HostClients;
  /** The state of this workspace: the runs whose pages an earlier window showed. */
  readonly state: vscode.Memento;
  readonly webFolder: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly actions: PageActions;
  readonly configs: TrainingConfigs;
}

const stateKey = 'agentjet.trainingPages';
const mostKept = 100;

/** The pages of training runs, one per run. They are restored when the window reloads. */
export class TrainingPages implements Disposable {
  readonly #parts: PagesParts;
  readonly #store = new DisposableStore();
  readonly #open = new Map<string, { readonly panel: vscode.WebviewPanel; readonly feed: PageFeed }>();

  constructor(parts: PagesParts) {
    this.#parts = parts;
    this.#store.add(
      vscode.window.registerWebviewPanelSerializer(trainingPageType, {
        deserializeWebviewPanel: async (panel) => this.#restore(panel),
      }),
    );
  }

  /**
   * Shows the page of a run. A page that `opensItself`, without an action of the user, opens next to the active editor.
   * That editor keeps the focus, because the user may be typing there.
   */
  async show(chosen: ChosenRun, opensItself = false): Promise<void> {
    const { run } = chosen;
    const ref = refOf(chosen);
    const open = this.#open.get(keyOf(ref));
    if (open !== undefined) {
      open.panel.reveal(undefined, opensItself);
      return;
    }
    const title = `${run.name} (${run.id.slice(-6)})`;
    await this.#keep(title, ref);
    const panel = vscode.window.createWebviewPanel(
      trainingPageType,
      title,
      {
        viewColumn: opensItself ? this.#sideColumn() : vscode.ViewColumn.Active,
        preserveFocus: opensItself,
      },
      { retainContextWhenHidden: true },
    );
    this.#fill(panel, ref);
  }

  /** Returns the column of another page outside the active column, so that pages do not split the window further. */
  #sideColumn(): vscode.ViewColumn {
    const { viewColumn } = vscode.window.tabGroups.activeTabGroup;
    const columns = [...this.#open.values()].map(({ panel }) => panel.viewColumn);
    return (
      columns.find((column) => column !== undefined && column !== viewColumn) ?? vscode.ViewColumn.Beside
    );
  }

  /** Shows a run's page, and another run on it that the user chooses. */
  async compare(chosen: ChosenRun): Promise<void> {
    const { hosts, clients } = this.#parts;
    const open = this.#open.get(keyOf(refOf(chosen)));
    const other = await chooseOtherRun(
      hosts,
      clients,
      (run) => run === chosen.run.id || open?.feed.has(run) === true,
    );
    if (other === undefined) return;
    await this.show(chosen);
    await this.#open.get(keyOf(refOf(chosen)))?.feed.add(refOf(other));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Stores the run of a page by the title of its panel, which the editor restores. */
  async #keep(title: string, ref: RunRef): Promise<void> {
    const others = Object.entries(this.#kept()).filter(([key]) => key !== title);
    await this.#parts.state.update(
      stateKey,
      Object.fromEntries([...others.slice(1 - mostKept), [title, ref]]),
    );
  }

  #kept(): Readonly<Record<string, RunRef>> {
    return this.#parts.state.get<Readonly<Record<string, RunRef>>>(stateKey, {});
  }

  async #restore(panel: vscode.WebviewPanel): Promise<void> {
    const ref = this.#kept()[panel.title];
    if (ref === undefined || this.#parts.hosts.find(ref.host) === undefined) panel.dispose();
    else this.#fill(panel, ref);
    return Promise.resolve();
  }

  #fill(panel: vscode.WebviewPanel, ref: RunRef): void {
    const { webview } = panel;
    const { hosts, clients, webFolder, log, actions, configs } = this.#parts;
    const store = new DisposableStore();
    this.#store.add(store);
    const feed = store.add(
      new PageFeed({
        hosts,
        clients,
        own: ref,
        clock: systemClock,
        send: (message) => void webview.postMessage(message),
      }),
    );
    this.#open.set(keyOf(ref), { panel, feed });
    store.defer(() => this.#open.delete(keyOf(ref)));
    const act = async (ask: RunPageRequest): Promise<void> => {
      if (ask.type === 'ready') await feed.start(ask.compared);
      else if (ask.type === 'removeRun') feed.remove(ask.run);
      else if (ask.type === 'addRun') {
        const other = await chooseOtherRun(hosts, clients, (run) => feed.has(run));
        if (other !== undefined) await feed.add(refOf(other));
      } else if (ask.type === 'compareConfig') {
        const [own, other] = [await feed.chosen(ref.run), await feed.chosen(ask.run)];
        if (own !== undefined && other !== undefined) await configs.compare(own, other);
      } else {
        const chosen = await feed.chosen(ask.run);
        if (chosen !== undefined) await actions[ask.type](chosen, 'step' in ask ? ask : undefined);
      }
    };
    store.add(
      webview.onDidReceiveMessage((message: unknown) => {
        const ask = runPageRequest.safeParse(message);
        if (ask.success) void reportingErrors(() => act(ask.data), log);
      }),
    );
    panel.onDidDispose(() => store.dispose());
    webview.options = { enableScripts: true, localResourceRoots: [webFolder] };
    const asset = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(webFolder, name)).toString();
    const { bundle } = vscode.l10n;
    webview.html = trainingRunPage({
      nonce: randomBytes(16).toString('base64url'),
      cspSource: webview.cspSource,
      scriptUri: asset(trainingRunBundle.script),
      styleUri: asset(trainingRunBundle.style),
      host: 'editor',
      boot: { texts: bundle && { language: vscode.env.language, bundle } },
    });
  }
}

const refOf = ({ host, run }: ChosenRun): RunRef => ({ host: host.name, run: run.id });
const keyOf = ({ host, run }: RunRef): string => `${host} ${run}`;
