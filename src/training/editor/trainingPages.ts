import { randomBytes } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { systemClock } from '../../base/node/clock.ts';
import { trainingRunBundle, trainingRunPage } from '../core/page/trainingRunPage.ts';
import { thisMachine } from '../core/page/localRun.ts';
import {
  runPageRequest,
  type RunPageMessage,
  type RunPageRequest,
  type RunRef,
} from '../core/page/trainingRunRpc.ts';
import { trainingPageType } from '../../base/core/ids.ts';
import { reportingErrors } from '../../base/editor/reportErrors.ts';
import { chooseFolder } from './chooseFolder.ts';
import { chooseOtherRun } from './chooseTraining.ts';
import { actOnFolder } from './folderActions.ts';
import type { ChosenRun } from './hostClient.ts';
import { runTitle } from './hostText.ts';
import { PageFeed } from './pageFeed.ts';
import type { TrainingServices } from './services.ts';
import { runActions, type RunAction } from './trainingActions.ts';

const stateKey = 'agentjet.trainingPages';
const mostKept = 100;

/** The pages of training runs, one per run. They are restored when the window reloads. */
export class TrainingPages implements Disposable {
  readonly #services: TrainingServices;
  /** The state of this workspace: the runs whose pages an earlier window showed. */
  readonly #state: vscode.Memento;
  readonly #webFolder: vscode.Uri;
  readonly #store = new DisposableStore();
  readonly #open = new Map<string, { readonly panel: vscode.WebviewPanel; readonly feed: PageFeed }>();

  constructor(services: TrainingServices, state: vscode.Memento, webFolder: vscode.Uri) {
    this.#services = services;
    this.#state = state;
    this.#webFolder = webFolder;
    this.#store.add(
      vscode.window.registerWebviewPanelSerializer(trainingPageType, {
        deserializeWebviewPanel: async (panel) => this.#restore(panel),
      }),
    );
  }

  /** Shows the page of a run of a host. */
  show(chosen: ChosenRun, opensItself = false): Promise<void> {
    return this.#show(refOf(chosen), runTitle(chosen.run), opensItself);
  }

  /** Shows the page of the training in a folder of this machine. */
  showFolder(folder: string, opensItself = false): Promise<void> {
    const title = vscode.l10n.t('{0} (training)', path.basename(folder));
    return this.#show({ host: thisMachine, run: folder }, title, opensItself);
  }

  /**
   * Shows the page of a run. A page that `opensItself`, without an action of the user, opens next to the active editor.
   * That editor keeps the focus, because the user may be typing there.
   */
  async #show(ref: RunRef, title: string, opensItself: boolean): Promise<void> {
    const open = this.#open.get(keyOf(ref));
    if (open !== undefined) {
      open.panel.reveal(undefined, opensItself);
      return;
    }
    await this.#keep(title, ref);
    const viewColumn = opensItself ? this.#sideColumn() : vscode.ViewColumn.Active;
    const place = { viewColumn, preserveFocus: opensItself };
    const panel = vscode.window.createWebviewPanel(trainingPageType, title, place, {
      retainContextWhenHidden: true,
    });
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

  async compare(chosen: ChosenRun): Promise<void> {
    const open = this.#open.get(keyOf(refOf(chosen)));
    const isShown = (run: string): boolean => run === chosen.run.id || open?.feed.has(run) === true;
    const other = await chooseOtherRun(this.#services, isShown);
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
    const kept = Object.fromEntries([...others.slice(1 - mostKept), [title, ref]]);
    await this.#state.update(stateKey, kept);
  }

  #kept(): Readonly<Record<string, RunRef>> {
    return this.#state.get<Readonly<Record<string, RunRef>>>(stateKey, {});
  }

  async #restore(panel: vscode.WebviewPanel): Promise<void> {
    const ref = this.#kept()[panel.title];
    if (ref === undefined || !this.#mayShow(ref)) panel.dispose();
    else this.#fill(panel, ref);
    return Promise.resolve();
  }

  /** Returns true if a run that a page or its state names may be shown. */
  #mayShow({ host, run }: RunRef): boolean {
    if (host !== thisMachine) return this.#services.hosts.find(host) !== undefined;
    const isKnown = Object.values(this.#kept()).some((ref) => ref.host === host && ref.run === run);
    const isInside = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(run)) !== undefined;
    return vscode.workspace.isTrusted && (isKnown || isInside);
  }

  async #chooseOther(own: RunRef, feed: PageFeed): Promise<RunRef | undefined> {
    if (own.host === thisMachine) {
      const folder = await chooseFolder(undefined, (run) => feed.has(run));
      return folder === undefined ? undefined : { host: thisMachine, run: folder };
    }
    const other = await chooseOtherRun(this.#services, (run) => feed.has(run));
    return other && refOf(other);
  }

  #fill(panel: vscode.WebviewPanel, ref: RunRef): void {
    const { webview } = panel;
    const { hosts, clients, log, configs } = this.#services;
    const webFolder = this.#webFolder;
    const store = this.#store.add(new DisposableStore());
    const send = (message: RunPageMessage): void => void webview.postMessage(message);
    const mayRead = (run: string): boolean => this.#mayShow({ host: thisMachine, run });
    const feed = store.add(new PageFeed({ hosts, clients, own: ref, clock: systemClock, send, mayRead }));
    this.#open.set(keyOf(ref), { panel, feed });
    store.defer(() => this.#open.delete(keyOf(ref)));
    const act = async (ask: RunPageRequest): Promise<void> => {
      if (ask.type === 'ready') await feed.start(ask.compared);
      else if (ask.type === 'removeRun') feed.remove(ask.run);
      else if (ask.type === 'addRun') {
        const other = await this.#chooseOther(ref, feed);
        if (other !== undefined) await feed.add(other);
      } else if (feed.isFolder(ask.run)) await actOnFolder(ask, ref.run, this.#services);
      else if (ask.type === 'compareConfig') {
        const [own, other] = [await feed.chosen(ref.run), await feed.chosen(ask.run)];
        if (own !== undefined && other !== undefined) await configs.compare(own, other);
      } else if (ask.type in runActions) {
        const chosen = await feed.chosen(ask.run);
        const action: RunAction = runActions[ask.type as keyof typeof runActions];
        if (chosen !== undefined) await action(chosen, this.#services, 'step' in ask ? ask : undefined);
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
