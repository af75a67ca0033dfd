import * as vscode from 'vscode';

/** Where on this machine the code of a run came from. */
export interface DispatchedRun {
  /** The folder that was sent. */
  readonly root: string;
  /** The config, absolute. */
  readonly config: string;
}

const stateKey = 'agentjet.sentRuns';
const most = 500;

/** Runs that were sent from here, by the id of the run: of others it is not known where their files are. */
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

  /** Of a run that was sent from elsewhere: the folder of this window that has a config of that path. */
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
