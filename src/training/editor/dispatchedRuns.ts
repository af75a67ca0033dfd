import * as vscode from 'vscode';

/** The local source of a training run. */
export interface DispatchedRun {
  /** The folder that was sent. */
  readonly root: string;
  /** The config, absolute. */
  readonly config: string;
}

const stateKey = 'agentjet.sentRuns';
const most = 500;

/** Stores the local sources of runs that this editor dispatched, by run id. */
export class DispatchedRuns {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  async add(run: string, sent: DispatchedRun): Promise<void> {
    const all = Object.entries(this.#all()).slice(1 - most);
    await this.#state.update(stateKey, Object.fromEntries([...all, [run, sent]]));
  }

  of(run: string): DispatchedRun | undefined {
    return this.#all()[run];
  }

  /** Returns the stored source, or else the first workspace folder that contains a config of that path. */
  async find(run: string, config: string): Promise<DispatchedRun | undefined> {
    const sent = this.#all()[run];
    if (sent !== undefined) return sent;
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const uri = vscode.Uri.joinPath(folder.uri, config);
      const isThere = await vscode.workspace.fs.stat(uri).then(
        () => true,
        () => false,
      );
      if (isThere) return { root: folder.uri.fsPath, config: uri.fsPath };
    }
    return undefined;
  }

  #all(): Readonly<Record<string, DispatchedRun>> {
    return this.#state.get<Readonly<Record<string, DispatchedRun>>>(stateKey, {});
  }
}
